# The command dropspec, to check documents where there is no Rust. Git is there for bases such as `main:openapi.yaml`.
#
#   docker build --file deploy/dropspec.Dockerfile --tag dropspec .
#
# It compiles; with `--build-arg DROPSPEC_URL=https://forge.example/OWNER/REPOSITORY --build-arg DROPSPEC_REF=v1` it downloads the
# archive of that release.
#
#   docker run --rm --volume "$PWD:/work" dropspec diff openapi.yaml

FROM rust:1.95-bookworm AS build
ARG DROPSPEC_URL= DROPSPEC_REF=
WORKDIR /source
COPY . .
RUN deploy/install /installed

FROM debian:bookworm-slim
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/* \
    # The checkout belongs to whoever runs the container.
    && git config --system --add safe.directory '*'
COPY --from=build /installed/ /usr/local/
USER 10001:10001
WORKDIR /work
ENTRYPOINT ["dropspec"]
CMD ["--help"]
