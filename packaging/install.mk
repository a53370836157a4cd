# Installation below PREFIX, and the files of a release. Part of the Makefile.
.PHONY: commands dist wheel dist-bin deb test-release install uninstall

# The commands in Python, which start with a python3 that has the modules. They are written again by each make, since modules may have
# been installed or removed.
COMMANDS := plot analyse sweep tracks fit xdmf
TOOLS_PYTHON = $(call once,TOOLS_PYTHON,$(shell for modules in 'numpy h5py matplotlib scipy pandas' 'numpy h5py matplotlib' numpy; do \
    sh scripts/find_python.sh $$modules 2>/dev/null && exit; done; echo /usr/bin/env python3))
commands: python/boids.egg-info/PKG-INFO | setup
	@for name in $(COMMANDS); do \
	    { echo '#!$(TOOLS_PYTHON)'; sed '1d; s|"\.\.", "python"|"python"|' scripts/$$name.py; } > boids-$$name.$$$$ && \
	    chmod 755 boids-$$name.$$$$ && mv boids-$$name.$$$$ boids-$$name || exit 1; \
	done

# importlib.metadata finds the version in it.
python/boids.egg-info/PKG-INFO: VERSION
	@mkdir -p $(@D)
	@printf 'Metadata-Version: 2.1\nName: boids\nVersion: $(VERSION)\n' > $@

# Below DESTDIR and PREFIX, which may contain spaces; uninstall removes the same files, and the folders that install made. install lists
# the files of share/boids and of the documents in share/boids/files, with those of an older version.
below = $(call quoted,$(DESTDIR)$(PREFIX)/$(1))
# Folders below PREFIX. install lists those that it makes in share/boids/folders, each before the one that contains it.
INSTALLED_FOLDERS = bin $(call quoted,./$(LIBDIR)/pkgconfig) include/boids include/flock share/doc/boids/firmware/rp2040 share/man/man1 \
    share/bash-completion/completions share/zsh/site-functions share/fish/vendor_completions.d \
    $(addprefix share/boids/,configs data scripts python/boids/drawing python/boids/analysis python/boids/commands python/boids.egg-info)
BIN = $(call below,bin)
SHARE = $(call below,share)
LIB = $(call below,$(LIBDIR))
INCLUDE = $(call below,include)
# The Pythons of a virtual environment, of conda or of the system, which import the package from share/boids/python.
PYTHON_SITES = $(call below,lib)/python3*/site-packages $(call below,lib)/python3*/dist-packages
BASH_COMPLETION = $(SHARE)/bash-completion/completions/boids
ZSH_COMPLETION = $(SHARE)/zsh/site-functions/_boids
FISH_COMPLETION = $(SHARE)/fish/vendor_completions.d/boids.fish
MAN_PAGE = $(SHARE)/man/man1/boids.1
DOC = $(SHARE)/doc/boids
# $(call install_folders,FOLDERS,TARGET): with one process for each folder.
install_folders = umask 022; find $(1) -type f ! -name '*.pyc' | sed 's|/[^/]*$$||' | sort -u | while read -r folder; do \
    mkdir -p $(2)/"$$folder" && install -m 644 $$(find "$$folder" -maxdepth 1 -type f ! -name '*.pyc') $(2)/"$$folder" || exit 1; done

# The documents link to each other, and the gallery to the page, which is elsewhere in a checkout.
DOCUMENTS := README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md LICENSE docs examples firmware/rp2040/README.md
GALLERY := docs/gallery/README.md
gallery_with = sed 's|^\(\[!\[\(.*\)\](.*)\](\)../page.md|\1$(1)\#preset=\2|'

# The source of the last commit, with the page as web/boids.html and images for a Pico in firmware/uf2, with the same bytes each time.
DIST := build/boids-$(VERSION)
RELEASED_IMAGES := pico pico_swarm hunt
dist: $(PAGE)/boids.html ## write the source of the last commit, the page and images for a Pico into build/boids-VERSION.tar.gz
	@for name in $(RELEASED_IMAGES); do $(MAKE) -s firmware CONFIG=$$name > /dev/null || exit 1; done
	@mkdir -p $(DIST)-gallery
	@git show HEAD:$(GALLERY) | $(call gallery_with,../../web/boids.html) > $(DIST)-gallery/README.md
	@git -c tar.umask=0022 archive --prefix=boids-$(VERSION)/web/ --add-file=$< \
	    --prefix=boids-$(VERSION)/firmware/uf2/ $(RELEASED_IMAGES:%=--add-file=build/firmware/%.uf2) \
	    --prefix=boids-$(VERSION)/$(dir $(GALLERY)) --add-file=$(DIST)-gallery/README.md --prefix=boids-$(VERSION)/ -o $(DIST).tar \
	    --add-virtual-file=boids-$(VERSION)/.revision:$$(git describe --always --abbrev=10) HEAD . ':(exclude)$(GALLERY)'
	@rm -r $(DIST)-gallery
	@gzip -9nf $(DIST).tar
	@ls $(DIST).tar.gz $(wildcard $(DIST)-py3-*.whl)

# HDF5 and zlib are in the program, and cJSON is beside the library. They run with the glibc of this machine or a newer one.
$(BUILD)/boids-portable: $(OBJECTS) $(MAIN)
	$(Q)$(LINK) -s -Wl,-rpath,'$$ORIGIN/../lib:$$ORIGIN' -o $@ $(filter %.o,$^) $(LIBRARIES)
$(BUILD)/portable/$(SONAME): $(LIBBOIDS_OBJECTS)
	@mkdir -p $(@D)
	$(Q)$(LINK_SHARED) -s -Wl,-rpath,'$$ORIGIN' -o $@ $^ $(CJSON_LIBS) -lm

WHEEL_PYTHON = $(shell sh scripts/find_python.sh pip setuptools wheel)
# Without HDF5, whose static library would make it 1.4 MB larger; pip install . includes that.
wheel: | setup ## write a package for pip, for any Python 3 on Linux, into build
	@rm -f build/boids-$(VERSION)-py3-*.whl
	@MAKEFLAGS= MAKELEVEL= HDF5=no $(WHEEL_PYTHON) -m pip wheel -q --no-index --no-build-isolation --no-deps -w build .
	@echo build/boids-$(VERSION)-py3-*.whl

dist-bin: $(BUILD)/boids-portable $(BUILD)/help/boids.1 $(PAGE)/boids.html $(BUILD)/portable/$(SONAME) | setup
dist-bin: ## write a program to unpack anywhere into build/boids-VERSION-linux-MACHINE.tar.gz
	@$(call gallery_with,../../boids.html) $(GALLERY) > $(BUILD)/gallery.md
	@DOCUMENTS='$(DOCUMENTS)' sh scripts/dist_bin.sh $^ $(BUILD)/gallery.md $(DIST)-linux-$(firstword $(subst -, ,$(MACHINE)))

deb: dist | setup ## build Debian packages of the last commit into build/deb
	@rm -rf build/deb
	@mkdir -p build/deb
	@tar xf $(DIST).tar.gz -C build/deb
	@printf 'boids ($(VERSION)-1) unstable; urgency=medium\n\n  * The changes are in the changelog of boids.\n\n -- %s  %s\n' \
	    "$$(sed -n 's/^Maintainer: //p' debian/control)" "$$(git log -1 --format=%cD)" > build/deb/boids-$(VERSION)/debian/changelog
	@cd build/deb/boids-$(VERSION) && MAKEFLAGS= MAKELEVEL= dpkg-buildpackage -b -us -uc

test-release: BOIDS_TEST_LEVEL = exhaustive
test-release: $(TESTED) | setup #: test the tarballs, and the packages in fresh Debian roots; needs root, ten minutes
	@$(RUN_SUITES) build/test-release/summary tests/release/release.py

install: $(INSTALLED) $(BUILD)/$(PROGRAM) $(if $(filter install,$(GOALS)),$(INSTALLED_PAGE)) ## install under DESTDIR and PREFIX
	@umask 022; mkdir -p $(call below) 2>/dev/null && cd $(call below) && missing=$$(for folder in $(INSTALLED_FOLDERS); do \
	    while [ ! -d "$$folder" ]; do echo "$$folder"; folder=$$(dirname "$$folder"); done; done | sort -ru) && \
	    mkdir -p $(INSTALLED_FOLDERS) 2>/dev/null && [ -w bin ] && { [ -z "$$missing" ] || echo "$$missing" >> share/boids/folders; } || { \
	    case ":$$PATH:" in *":$$HOME/.local/bin:"*) is=is ;; *) is='is not' ;; esac; \
	    echo $(call quoted,$(DESTDIR)$(PREFIX))" cannot be written; install with: make install PREFIX=$$HOME/.local" \
	        "($$HOME/.local/bin $$is on PATH)" >&2; exit 1; }
	install -m 755 $(BUILD)/$(PROGRAM) $(BIN)/$(PROGRAM)
	install -m 644 configs/*.json $(SHARE)/boids/configs
	install -m 644 data/*.json $(SHARE)/boids/data
	install -m 644 VERSION $(SHARE)/boids
	@for tool in $(COMMANDS); do \
	    { echo '#!$(TOOLS_PYTHON)'; sed 1d scripts/$$tool.py; } > $(SHARE)/boids/scripts/$$tool.py && \
	    chmod 755 $(SHARE)/boids/scripts/$$tool.py && ln -sfn ../share/boids/scripts/$$tool.py $(BIN)/boids-$$tool || exit 1; \
	done
	@cd python && $(call install_folders,boids boids.egg-info,$(SHARE)/boids/python)
	@for site in $(PYTHON_SITES); do [ ! -d "$$site" ] || echo ../../../share/boids/python > "$$site/boids.pth" || exit 1; done
	$(if $(INSTALLED_PAGE),install -m 644 $(INSTALLED_PAGE) $(SHARE)/boids,@echo 'without boids.html, which needs: sh scripts/setup.sh page')
	install -m 644 $(BUILD)/help/boids.1 $(COMMANDS:%=man/boids-%.1) $(SHARE)/man/man1
	install -m 644 $(BUILD)/help/boids.bash $(BASH_COMPLETION)
	install -m 644 $(COMPLETIONS)/_boids $(ZSH_COMPLETION)
	install -m 644 $(COMPLETIONS)/boids.fish $(FISH_COMPLETION)
	install -m 644 $(BUILD)/libflock.a $(BUILD)/libboids.a $(BUILD)/$(SONAME) $(LIB)
	ln -sfn $(SONAME) $(LIB)/libboids.so
	install -m 644 include/flock/* $(INCLUDE)/flock
	install -m 644 include/boids/* $(INCLUDE)/boids
	install -m 644 $(filter-out docs examples firmware/%,$(DOCUMENTS)) $(DOC)
	install -m 644 $(filter firmware/%,$(DOCUMENTS)) $(DOC)/firmware/rp2040
	@$(call install_folders,docs examples,$(DOC))
	$(call gallery_with,../../../../boids/boids.html) $(GALLERY) > $(DOC)/$(GALLERY)
	@for library in boids flock; do \
	    { printf 'prefix=%s\n' $(call quoted,$(PREFIX)); sed 's|@VERSION@|$(VERSION)|; s|@LIBDIR@|$(LIBDIR)|' src/library/$$library.pc.in; } \
	        > $(LIB)/pkgconfig/$$library.pc && chmod 644 $(LIB)/pkgconfig/$$library.pc || exit 1; \
	done
	@umask 022; { cat $(SHARE)/boids/files 2>/dev/null; printf 'boids/%s\n' configs/*.json data/*.json VERSION boids.html files folders; \
	    printf 'boids/scripts/%s.py\n' $(COMMANDS); \
	    (cd python && find boids boids.egg-info -type f ! -name '*.pyc') | sed 's|^|boids/python/|'; \
	    find $(DOCUMENTS) -type f ! -name '*.pyc' | sed 's|^|doc/boids/|'; } | sort -u > $(SHARE)/boids/files.new
	@mv $(SHARE)/boids/files.new $(SHARE)/boids/files
	@echo 'installed boids $(VERSION) in '$(call quoted,$(PREFIX))'; try: boids -c adams'

uninstall: ## remove what install put there
	rm -f $(addprefix $(BIN)/,boids boids-mpi $(addprefix boids-,$(COMMANDS)))
	rm -f $(addprefix $(LIB)/,libflock.a libboids.a libboids.so $(SONAME) pkgconfig/boids.pc pkgconfig/flock.pc)
	@for site in $(PYTHON_SITES); do rm -f "$$site/boids.pth"; done
	rm -f $(MAN_PAGE) $(COMMANDS:%=$(SHARE)/man/man1/boids-%.1) $(BASH_COMPLETION) $(ZSH_COMPLETION) $(FISH_COMPLETION)
	rm -f $(patsubst include/%,$(INCLUDE)/%,$(wildcard include/boids/* include/flock/*))
	@folders=$$(cat $(SHARE)/boids/folders 2>/dev/null); cd $(SHARE) 2>/dev/null || exit 0; \
	    cat boids/files 2>/dev/null | while read -r file; do rm -f "$$file"; done; \
	    find boids/python -name '*.pyc' -exec rm {} + 2>/dev/null; find boids doc/boids -depth -type d -empty -exec rmdir {} \; 2>/dev/null; \
	    cd $(call below) && echo "$$folders" | while read -r folder; do rmdir "$$folder" 2>/dev/null; done; true
