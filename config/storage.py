"""Storage of static files with content hashes in their names, so that a page keeps its versions of scripts."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class ModuleManifestStorage(CompressedManifestStaticFilesStorage):
    """Storage that also rewrites the import statements of ES modules to the hashed names."""

    support_js_module_import_aggregation = True
    max_post_process_passes = 12
    """A pass for each link of the longest chain of imports, types in comments too."""
