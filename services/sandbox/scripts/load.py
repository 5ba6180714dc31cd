# Runs a module of the keeper from sources given as arguments. The engine may be on another machine, so no local folder
# can be mounted, and an archive is not text: python3 -I -c "$(< load.py)" [NAME SOURCE]... -- MODULE [ARGUMENT]...
import importlib
import sys
from importlib.machinery import ModuleSpec


class Sources:
    def __init__(self, sources):
        self.sources = sources

    def find_spec(self, name, path=None, target=None):
        # The import of `importlib.abc.Loader` would take longer than the whole keeper.
        return ModuleSpec(name, self, is_package='.' not in name) if name in self.sources else None  # type: ignore[arg-type]

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        file = module.__name__.replace('.', '/') + '.py'
        exec(compile(self.sources[module.__name__], file, 'exec'), module.__dict__)


end = sys.argv.index('--')
sys.meta_path.insert(0, Sources(dict(zip(sys.argv[1:end:2], sys.argv[2:end:2], strict=True))))
importlib.import_module(sys.argv[end + 1]).main(*sys.argv[end + 2 :])
