"""Claims about what `make dist`, `make dist-bin`, `make deb` and pip write, and about the recipes in packaging/.

`make test-release` runs this suite. CI runs the part that takes less than three minutes.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from html.parser import HTMLParser

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "tools")]

import inner_make
from support import (
    ROOT,
    Folder,
    broken_links,
    exhaustive_only,
    in_root,
    makefiles,
    read,
)

VERSION = read("VERSION").strip()
CODENAME = "bookworm"
ROOT_NEEDED = "only root can make a Debian root, with debootstrap"
CAN_BOOTSTRAP = (
    os.geteuid() == 0
    and shutil.which("debootstrap")
    and subprocess.run(["unshare", "--mount", "true"], check=False).returncode == 0
)


def run(*words, folder=ROOT, **environment):
    done = subprocess.run(
        words,
        cwd=folder,
        env={**inner_make.environment(), **environment},
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise AssertionError(f"{words}: {done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def only_in(folder, pattern):
    (path,) = glob.glob(os.path.join(folder, pattern))
    return path


def content(path):
    with open(path, "rb") as file:
        return file.read()


def debian_root(folder):
    """A fresh Debian 12 of the fewest packages, from the mirror of this machine; the first one is kept for copies."""
    kept = in_root("build", "test-release", CODENAME)
    if not os.path.exists(kept):
        mirror = run(
            "apt-get", "indextargets", "--format", "$(REPO_URI)", f"Codename: {CODENAME}"
        ).split()[0]
        run("debootstrap", "--variant=minbase", CODENAME, kept + ".new", mirror)
        os.rename(kept + ".new", kept)
    root = os.path.join(folder, "root")
    run("cp", "-a", kept, root)
    return root


def in_debian(root, command, *words):
    """Run a shell command in a root, with /proc, which $ORIGIN needs, and with no variables of this machine."""
    return run(
        "unshare",
        "--mount",
        "sh",
        "-ec",
        'mount -t proc proc "$0/proc"; exec chroot "$@"',
        root,
        *words,
        root,
        "/usr/bin/env",
        "-i",
        "HOME=/tmp",
        "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
        "sh",
        "-ec",
        command,
    )


def first_commands():
    """Those of README's "Quick start" that draw a flock, as after an installation."""
    text = read("README.md")
    block = re.search(r"Run and draw your own:\n+```sh\n(.*?)```", text, re.DOTALL)[1]
    assert "scripts/" not in block, block
    return block.replace("./boids", "boids")


class References(HTMLParser):
    """The links of a page of HTML, and its anchors."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(read(path))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.anchors.add(value)
            elif name in ("href", "src") and not re.match("[a-z]+:", value):
                self.links.append(value)


class Site(unittest.TestCase):
    def test_each_link_of_the_site_leads_to_a_file_and_an_anchor(self):
        folder = os.path.dirname(in_root(run("make", "-s", "site").split()[-1]))
        paths = glob.glob(folder + "/**/*.html", recursive=True)
        pages = {path: References(path) for path in paths if not path.endswith("/boids.html")}
        self.assertGreater(len(pages), 25)
        for path, page in pages.items():
            for link in page.links:
                place, _, anchor = re.sub(r"\?(digest|v)=\w+", "", link).partition("#")
                target = os.path.normpath(os.path.join(os.path.dirname(path), place))
                target = target if place else path
                self.assertTrue(os.path.exists(target), (path, link))
                if target in pages and anchor:
                    self.assertIn(anchor, pages[target].anchors, (path, link))
        reference = content(os.path.join(folder, "docs/site/python_reference.html")).decode()
        self.assertTrue('id="boids.Flock.step"' in reference)


@exhaustive_only
class Source(Folder):
    def test_the_source_has_equal_bytes_and_builds_tests_and_installs_without_git(self):
        path = run("make", "-s", "dist").split()[0]  # then the wheel, if there is one
        first = content(in_root(path))
        run("make", "-s", "dist")
        self.assertEqual(first, content(in_root(path)))
        with tarfile.open(in_root(path)) as archive:
            archive.extractall(self.folder)
        source = self.path(f"boids-{VERSION}")
        page = content(in_root("build/page/boids.html"))
        self.assertEqual(content(os.path.join(source, "web/boids.html")), page)
        self.assertEqual(
            sorted(os.listdir(os.path.join(source, "firmware/uf2"))),
            ["hunt.uf2", "pico.uf2", "pico_swarm.uf2"],
        )
        self.assertEqual(broken_links(source), [])
        no_git = self.path("bin")
        os.mkdir(no_git)
        self.write("bin/git", "#!/bin/sh\nexit 1\n")
        os.chmod(self.path("bin/git"), 0o755)
        where = {"folder": source, "PATH": no_git + os.pathsep + os.environ["PATH"]}
        run("make", "CFLAGS=-O1", "SIMD_CFLAGS=-O1", "test", "FOLDERS=config docs", **where)
        run(
            "make",
            "CFLAGS=-O1",
            "SIMD_CFLAGS=-O1",
            "install",
            "PREFIX=" + self.path("installed"),
            **where,
        )
        self.assertRegex(
            run(self.path("installed/bin/boids"), "--version"),
            rf"^boids {VERSION} \([0-9a-f]+\)\n$",
        )
        self.assertEqual(content(self.path("installed/share/boids/boids.html")), page)
        self.assertFalse(os.path.exists(os.path.join(source, "build/page")))


class Binary(Folder):
    """`make dist-bin`."""

    @classmethod
    def setUpClass(cls):
        run("make", "-s", "dist-bin")
        cls.archive = only_in(ROOT, f"build/boids-{VERSION}-linux-*.tar.gz")
        cls.name = os.path.basename(cls.archive).removesuffix(".tar.gz")

    def test_the_page_is_beside_readme(self):
        with tarfile.open(self.archive) as archive:
            self.assertEqual(
                archive.extractfile(self.name + "/boids.html").read(),
                content(in_root("build/page/boids.html")),
            )
            archive.extractall(self.folder)
        self.assertEqual(broken_links(self.path(self.name)), [])

    def test_readme_states_the_oldest_glibc(self):
        run("tar", "xf", self.archive, "-C", self.folder)
        program = self.path(self.name, "bin/boids")
        versions = re.findall(r"GLIBC_([0-9.]+)", run("objdump", "-T", program))
        newest = max(versions, key=lambda version: [int(part) for part in version.split(".")])
        self.assertIn(f"glibc {newest} or newer", read("README.md"))
        libraries = set(re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", program)))
        self.assertLessEqual(
            libraries, {"libcjson.so.1", "libm.so.6", "libc.so.6", "ld-linux-x86-64.so.2"}
        )
        self.assertNotIn("symtab", run("readelf", "-S", program))

    def check_unpacked(self, root, boids, run_there):
        """Unpack it into opt below a root and run it in tmp as boids, with a function that runs a shell command there."""
        for name in ("opt", "tmp"):
            os.makedirs(os.path.join(root, name), exist_ok=True)
        run("tar", "xf", self.archive, "-C", os.path.join(root, "opt"))
        said = run_there(
            f"{boids} --version; {boids} -c adams --steps 20 -o a.h5 -q; {boids} --verify a.h5; "
            f"{boids} -c vicsek --steps 2 --set output.compression=1 -o b.h5 -q; {boids} --convert a.h5 -o a.csv; "
            f"ls $(dirname {boids})/../share/licences"
        )
        self.assertIn(f"boids {VERSION} (", said)
        for name in ("boids", "cjson", "hdf5", "libaec", "zlib"):
            self.assertIn(name, said.splitlines())
        self.good("-c", "adams", "--steps", "20", "-o", "a.h5", "-q")
        shutil.copy(os.path.join(root, "tmp/a.h5"), self.path("b.h5"))
        self.good("--diff", "a.h5", "b.h5")

    def test_runs_unpacked_from_any_folder(self):
        boids = self.path("opt", self.name, "bin/boids")
        environment = ("/usr/bin/env", "-i", "PATH=/usr/bin:/bin")
        self.check_unpacked(
            self.folder,
            boids,
            lambda command: run(*environment, "sh", "-ec", command, folder=self.path("tmp")),
        )
        self.assertIn(self.path("opt", self.name), run("ldd", boids), "its own cJSON")

    @exhaustive_only
    @unittest.skipUnless(CAN_BOOTSTRAP, ROOT_NEEDED)
    def test_runs_unpacked_in_debian_12_for_any_user(self):
        root = debian_root(self.folder)
        self.check_unpacked(
            root,
            f"/opt/{self.name}/bin/boids",
            lambda command: in_debian(root, "cd /tmp; " + command, "--userspec=65534:65534"),
        )


@exhaustive_only
class Packages(Folder):
    """`make deb`."""

    @unittest.skipUnless(CAN_BOOTSTRAP, ROOT_NEEDED)
    def test_lintian_is_clean_and_the_packages_install_run_and_vanish(self):
        run("make", "-s", "deb")
        changes = only_in(ROOT, f"build/deb/boids_{VERSION}-1_*.changes")
        self.assertEqual(run("lintian", "--allow-root", changes), "")
        root = debian_root(self.folder)
        look = (
            "find / -xdev \\( -path /proc -o -path /sys -o -path /var/lib/dpkg -o -path /var/log \\) -prune -o "
            "\\( -iname '*boids*' -o -name '*flock*' \\) -print | sort"
        )
        before = in_debian(root, look)
        os.mkdir(os.path.join(root, "debs"))
        for path in glob.glob(in_root("build/deb/*.deb")):
            shutil.copy(path, os.path.join(root, "debs"))
        packages = "boids boids-mpi boids-tools libboids1 libboids-dev libflock-dev python3-boids"
        in_debian(
            root,
            "apt-get update -q; apt-get install -qy --no-install-recommends gcc libc6-dev pkg-config /debs/*.deb; rm -r /debs",
        )
        in_debian(root, "mkdir /tmp/work; chmod 777 /tmp/work")
        shutil.copy(in_root("examples/scatter_a_flock.c"), os.path.join(root, "tmp/work"))
        in_debian(
            root,
            "cd /tmp/work; "
            + first_commands()
            + "boids-sweep --help; boids-analyse --help; boids-mpi --version; "
            "ls -l; test -s flock.png; test -s flock.html; test -s /usr/share/boids/boids.html",
            "--userspec=65534:65534",
        )
        hashes = [
            in_debian(root, "cd /tmp/work; " + commands, "--userspec=65534:65534").split()[-1]
            for commands in (
                "boids -c adams -n 3 --hash 3 -q -o none 2>&1",
                'python3 -c \'import boids, importlib.metadata as m; m.version("boids"); print(boids.Flock("adams").step(3).hash)\'',
                "cc scatter_a_flock.c $(pkg-config --cflags --libs boids); ./a.out",
                "cc scatter_a_flock.c $(pkg-config --cflags boids) -l:libboids.a $(pkg-config --libs libcjson) -lm; ./a.out",
            )
        ]
        self.assertEqual(hashes[0::2], hashes[1::2])
        in_debian(root, f"rm -r /tmp/work; apt-get purge -qy {packages}")
        self.assertEqual(in_debian(root, look), before)


class Tools(Folder):
    """The ways to install the Python package, without a network: each ends with one that works, or with a sentence and a status."""

    USE = "import boids, importlib.metadata as m; print(boids.Flock('adams').step(5).hash, m.version('boids'))"

    @classmethod
    def setUpClass(cls):
        """A copy of the source and of the objects in build/release, and a Python with pip. A wheel without HDF5 compiles what differs."""
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.source = os.path.join(folder.name, "source")
        os.mkdir(cls.source)
        run(
            "cp",
            "-a",
            "--parents",
            "configs",
            "data",
            "docs/python.md",
            "docs/rule.md",
            "include",
            "LICENSE",
            "MANIFEST.in",
            "python",
            "pyproject.toml",
            "README.md",
            "scripts",
            "setup.py",
            "src",
            "VERSION",
            *(name for name in makefiles() if not name.startswith("src/")),
            cls.source,
        )
        shutil.rmtree(os.path.join(cls.source, "python/boids.egg-info"), ignore_errors=True)
        built = os.path.join("build", "release")
        shutil.copytree(
            in_root(built),
            os.path.join(cls.source, built),
            ignore=shutil.ignore_patterns("tests", "*boids*", "bench", "pico*"),
        )
        cls.python = run(
            "sh",
            "scripts/find_python.sh",
            "numpy",
            "h5py",
            "matplotlib",
            "scipy",
            "pip",
            "setuptools",
            "wheel",
        ).strip()

    def venv(self, *words):
        run(self.python, "-m", "venv", "--without-pip", *words, "there", folder=self.folder)
        os.mkdir(self.path("empty"))

    def pip(self, *words, folder=None, **environment):
        return run(
            self.python,
            "-m",
            "pip",
            "--python",
            self.path("there/bin/python"),
            "install",
            "-q",
            "--no-index",
            "--no-build-isolation",
            *words,
            folder=folder or self.source,
            **environment,
        )

    def installed(self, program, *words, **environment):
        """What an installed program prints in an empty folder."""
        return run(
            self.path("there/bin", program), *words, folder=self.path("empty"), **environment
        )

    def assert_works(self, **environment):
        wanted = self.run_boids(
            "-c", "adams", "-q", "--steps", "5", "--hash", "5", text=True
        ).stderr.split()[-1]
        self.assertEqual(
            self.installed("python", "-c", self.USE, **environment), f"{wanted} {VERSION}\n"
        )

    def test_pip_installs_the_package_and_the_commands(self):
        self.venv("--system-site-packages")
        removed = os.path.join(self.source, "build/lib/boids/removed.py")
        os.makedirs(os.path.dirname(removed), exist_ok=True)
        with open(removed, "w", encoding="utf-8"):
            pass
        self.pip(".")
        self.assertFalse(glob.glob(self.path("there/lib/python3*/site-packages/boids/removed.py")))
        self.assert_works()
        self.installed(
            "boids", "-c", "castor", "--steps", "5", "-q", "-o", "../a.h5", "-o", "../a.csv"
        )
        self.installed("boids-plot", "../a.h5", "--save", "a.png")
        self.installed("boids-plot", "../a.h5", "--save", "a.html")
        self.installed("boids-analyse", "../a.h5", "-q", "-o", "out")
        self.assertIn("boids-sweep", self.installed("boids-sweep", "--help"))
        self.installed(
            "boids-sweep", "-c", "adams", "--seeds", "1,2", "-n", "5", "-q", "-o", "table.csv"
        )

    @exhaustive_only
    @unittest.skipUnless(CAN_BOOTSTRAP, ROOT_NEEDED)
    def test_the_lines_of_readme_and_of_the_guide_install_the_package_in_a_bare_debian_12(self):
        root = debian_root(self.folder)
        shutil.copytree(self.source, root + "/source", ignore=shutil.ignore_patterns("build"))
        readme, guide = (read(name) for name in ("README.md", "docs/python.md"))
        lines = r"```sh\n(sh scripts/setup.sh pip\n[^`]*)```"
        shell, python = re.search(lines + r"\s+```python\n(.*?)```", readme, re.DOTALL).groups()
        for line in re.search(lines, guide)[1].splitlines():
            self.assertIn(line, shell)
        said = in_debian(root, f"cd /source; {shell.rstrip()} <<'END'\n{python}END\n")
        self.assertRegex(said, r"\n0\.\d+ \[[\d. ]+\]\n$")
        in_debian(
            root,
            "cd /tmp; PATH=/source/.venv/bin:$PATH; boids -c castor -n 5 -q -o a.h5; "
            "boids-plot a.h5 --save a.png; boids-tracks --help; boids-fit --help",
        )

    def test_an_editable_package_uses_the_library_of_the_checkout(self):
        self.venv("--system-site-packages")
        self.pip("-e", ".")
        self.assert_works()
        self.assertIn(VERSION, self.installed("boids", "--version"))

    def test_a_source_package_makes_a_wheel_that_needs_only_the_c_library_and_numpy(self):
        """Build it as `python -m build` and packagers do."""
        self.venv()
        write = (
            "from setuptools.build_meta import build_sdist; import sys; build_sdist(sys.argv[1])"
        )
        run(self.python, "-c", write, self.folder, folder=self.source)
        run(
            "sh",
            "-c",
            'exec "$0" -m pip wheel -q --no-index --no-build-isolation --no-deps -w . *.tar.gz',
            self.python,
            folder=self.folder,
            HDF5="no",
        )
        wheel = only_in(self.folder, f"boids-{VERSION}-py3-none-*.whl")
        self.assertLess(os.path.getsize(wheel), 2.5e6)
        with zipfile.ZipFile(wheel) as file:
            wanted = {"boids/docs/rule.md", "boids/include/boids/boids.h"}
            self.assertLessEqual(wanted, set(file.namelist()))
            file.extractall(self.path("unpacked"))
        about = content(self.path(f"unpacked/boids-{VERSION}.dist-info/METADATA")).decode()
        for line in ("Classifier: License ::", "Project-URL: Documentation, ", "# boids\n"):
            self.assertIn("\n" + line, about)
        needed = run(
            "sh", "-c", "readelf -d boids/boids boids/lib*.so.1", folder=self.path("unpacked")
        )
        names = set(re.findall(r"NEEDED.*\[(.*)\]", needed))
        self.assertLessEqual(
            {name for name in names if not name.startswith("ld-linux")},
            {"libc.so.6", "libm.so.6", "libcjson.so.1"},
        )
        if sys.platform == "linux" and "musl" not in needed:
            self.assertRegex(wheel, r"-manylinux_2_\d+_\w+\.whl$")
        with self.assertRaisesRegex(AssertionError, "No matching distribution found for numpy"):
            self.pip(wheel, folder=self.folder)
        self.pip("--no-deps", wheel, folder=self.folder)
        self.assert_works(
            PYTHONPATH=os.path.dirname(
                os.path.dirname(
                    run(self.python, "-c", "import numpy; print(numpy.__file__)").strip()
                )
            )
        )

    def test_without_a_compiler_an_installed_library_is_used_or_pip_fails(self):
        os.mkdir(self.path("bin"))
        self.venv("--system-site-packages")
        source = shutil.copytree(
            self.source, self.path("source"), ignore=shutil.ignore_patterns("build")
        )
        with self.assertRaisesRegex(
            AssertionError,
            "boids: make could not build libboids, which needs a C compiler, make and cJSON",
        ):
            self.pip(".", folder=source, PATH=self.path("bin"))
        library = {"LD_LIBRARY_PATH": in_root("build/release")}
        self.pip(".", folder=source, PATH=self.path("bin"), **library)
        self.assert_works(**library)
        done = subprocess.run(
            [self.path("there/bin/boids")], capture_output=True, text=True, timeout=60, check=False
        )
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)

    def test_make_install_serves_the_python_of_its_prefix(self):
        """A conda environment is such a prefix."""
        self.venv("--system-site-packages")
        run("make", "-s", "install", f"PREFIX={self.path('there')}")
        self.assert_works()
        run("make", "-s", "uninstall", f"PREFIX={self.path('there')}")
        self.assertEqual(
            [
                name
                for _, folders, names in os.walk(self.path("there"))
                for name in (*folders, *names)
                if "boids" in name
            ],
            [],
        )

    def test_a_checkout_is_a_package(self):
        self.venv("--system-site-packages")
        self.assert_works(PYTHONPATH=in_root("python"))


class Types(unittest.TestCase):
    """Another type checker than that of `make lint` accepts a user's script, with the package as it is."""

    @exhaustive_only
    def test_pyright_accepts_a_script(self):
        run("npm", "install", "--silent", "--prefix", "build/test-release", "pyright@1.1.414")
        python = run("sh", "scripts/find_python.sh", "numpy").strip()
        pyright = in_root("build/test-release/node_modules/.bin/pyright")
        script = os.path.join(HERE, "user_types.py")
        run(pyright, "--pythonpath", python, script, PYTHONPATH=in_root("python"))


class Recipes(unittest.TestCase):
    """Each recipe is accepted by a parser; none was tried."""

    def test_parsers_accept_the_recipes_and_each_has_the_version(self):
        import jinja2
        import yaml

        recipe = jinja2.Template(read("packaging/conda/meta.yaml")).render(
            compiler=lambda name: name
        )
        self.assertEqual(yaml.safe_load(recipe)["package"]["version"], VERSION)
        citation = yaml.safe_load(content(in_root("CITATION.cff")))
        self.assertLessEqual({"cff-version", "message", "title", "authors"}, set(citation))
        self.assertEqual(citation["version"], VERSION)
        for name in ("spack/package.py", "boids.rb"):
            self.assertIn(f"/boids-{VERSION}.tar.gz", read("packaging", name))
        compile(content(in_root("packaging/spack/package.py")), "package.py", "exec")
        run("ruby", "-c", "packaging/boids.rb")
        sections = re.split(
            r"^%(\w+).*\n",
            read("packaging/boids.def"),
            flags=re.MULTILINE,
        )
        self.assertEqual(sections[1::2], ["files", "post", "runscript"])
        for script in sections[4::2]:
            run("sh", "-nc", script)
        run(
            "npm",
            "install",
            "--silent",
            "--prefix",
            "build/test-release",
            "dockerfile-utils@0.16.3",
        )
        lint = """const faults = require('dockerfile-utils').validate(require('fs').readFileSync('packaging/Containerfile', 'utf8'));
            if (faults.length) { console.error(faults); process.exit(1); }"""
        run("node", "-e", lint, NODE_PATH="build/test-release/node_modules")


if __name__ == "__main__":
    unittest.main()
