"""One module for each tool: from a file within its bounds to a questionnaire in the form of all tools."""
