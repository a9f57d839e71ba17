# The crawler and the command line in one image, for docker, podman and what else builds such files; docs/deployment.md.
#   docker build -t newsextract .
#   docker run --rm --init -v "$PWD/out:/srv/newsextract/out" newsextract crawl news -a sites=harbour-ledger

# Not pinned: building again is how the security fixes of Debian's stable release get in, and apt's packages (Python, Chromium)
# are not pinned either. For the same base again: --build-arg BASE=debian@sha256:…
ARG BASE=debian:bookworm-slim
FROM $BASE

# For sites with render = true: the packages of the group `browser` of newsextract/data/system_packages.txt. BROWSER=none builds without.
ARG BROWSER=browser
# Of pyproject.toml; every package in the version of requirements-dev.lock.
ARG EXTRAS="crawl,records,browser,zh,archive,storage,postgres"
RUN case ",$EXTRAS," in \
      *,spark,*) echo "Spark is not for this image: no Java, no locked pyspark; docs/deployment.md" >&2; exit 1 ;; \
    esac

ENV DEBIAN_FRONTEND=noninteractive
COPY newsextract/data/system_packages.txt /tmp/
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates python3 python3-venv \
       $(awk -v group="$BROWSER" '$1 == group {print $2}' /tmp/system_packages.txt) \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /srv/newsextract

# Packages before code, so that a change of the code does not install them again; the empty package stands for the code.
COPY pyproject.toml requirements-dev.lock README.md LICENSE ./
RUN mkdir newsextract \
    && touch newsextract/__init__.py \
    && python3 -m venv /opt/newsextract \
    && PIP_CONSTRAINT=requirements-dev.lock /opt/newsextract/bin/pip install --no-cache-dir --disable-pip-version-check --editable ".[$EXTRAS]"

COPY scrapy.cfg ./
COPY newsextract newsextract
COPY pipelines pipelines
COPY spiders spiders
COPY settings settings
# The sample sites that settings/sites.toml names until it names yours; a crawl of them needs no network.
COPY tests/sample_site tests/sample_site
RUN /opt/newsextract/bin/python -m compileall -q newsextract pipelines settings spiders

# Records stand in out/: a volume. The user has no rights elsewhere, and Chromium keeps its sandbox, which it cannot for root.
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /tmp newsextract \
    && install -d -o newsextract -g newsextract out
ENV PATH=/opt/newsextract/bin:/usr/local/bin:/usr/bin:/bin HOME=/tmp PYTHONUNBUFFERED=1 SCRAPY_PROJECT=production
USER 10001:10001
VOLUME /srv/newsextract/out

# `newsextract …` is the command line; every other first word is a command of scrapy.
ENTRYPOINT ["/bin/sh", "-c", "case \"$1\" in newsextract|scrapy|python|sh) exec \"$@\" ;; *) exec scrapy \"$@\" ;; esac", "entrypoint"]
CMD ["crawl", "news"]
