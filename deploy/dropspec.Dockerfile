# The command dropspec, to check documents where there is no Rust. Git is there for bases such as `main:openapi.yaml`.
#
#   docker build --file deploy/dropspec.Dockerfile --tag dropspec .
#   docker run --rm --volume "$PWD:/work" dropspec diff openapi.yaml

FROM rust:1.95-slim-bookworm AS build
WORKDIR /source
COPY . .
RUN cargo build --locked --profile small --package dropspec

FROM debian:bookworm-slim
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/* \
    # The checkout belongs to whoever runs the container.
    && git config --system --add safe.directory '*'
COPY --from=build /source/target/small/dropspec /usr/local/bin/dropspec
USER 10001:10001
WORKDIR /work
ENTRYPOINT ["dropspec"]
CMD ["--help"]
