"""The estimate report: its sections, languages and disclosures, as a page, one file or a PDF."""
