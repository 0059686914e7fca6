"""Static files under names that hold a hash of their content: a page keeps the scripts it was made for."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class ModuleManifestStorage(CompressedManifestStaticFilesStorage):
    """Rewrites the import statements of ES modules too, so that they name the hashed files."""

    support_js_module_import_aggregation = True
