# Prints pip's defaults, its index and the host of that index's files, and then its settings. Python may have come
# without pip: new virtual environments then get it from a wheel, which answers just as well.
import glob
import os
import runpy
import sys

try:
    import pip
except ImportError:
    import ensurepip

    folders = [os.path.join(os.path.dirname(ensurepip.__file__), "_bundled"), getattr(ensurepip, "_WHEEL_PKG_DIR", None)]
    sys.path[:0] = [wheel for folder in folders if folder for wheel in glob.glob(os.path.join(str(folder), "pip-*.whl"))]

try:
    from pip._internal.models.index import PyPI

    print("default.index-url='%s'" % PyPI.url)
    print("default.files-url='https://%s'" % PyPI.file_storage_domain, flush=True)
except ImportError:  # pip may move what is its own
    pass

sys.argv = ["pip", "config", "list"]
runpy.run_module("pip", run_name="__main__", alter_sys=True)
