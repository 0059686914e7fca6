"""Static files under names that hold a hash of their content: a page keeps the scripts it was made for."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class ModuleManifestStorage(CompressedManifestStaticFilesStorage):
    """Rewrites the import statements of ES modules too, so that they name the hashed files."""

    support_js_module_import_aggregation = True
    max_post_process_passes = 12
    """A pass for each link of the longest chain of imports, types in comments too."""
