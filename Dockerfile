# The tool in a small image. It needs libsqlite3, libcurl and zlib; Swift's libraries are in the binary.
#
#   docker build -t sections .
#   docker run --rm -it --user "$(id -u)" -v "$PWD:/data" sections watch music.sqlite Track
FROM swift:6.3-noble AS build
RUN apt-get update && apt-get install -y --no-install-recommends libsqlite3-dev libcurl4-openssl-dev zlib1g-dev \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /package
# Before the sources, so that a change of those does not fetch the dependencies again.
COPY Package.swift ./
RUN swift package resolve
COPY . .
RUN swift build -c release --product sections --static-swift-stdlib \
  && install -D -s "$(swift build -c release --show-bin-path)/sections" /out/sections

FROM ubuntu:24.04
RUN apt-get update \
  && apt-get install -y --no-install-recommends libsqlite3-0 libcurl4t64 zlib1g libstdc++6 ca-certificates tzdata \
  && rm -rf /var/lib/apt/lists/* && useradd --system --uid 10001 --no-create-home sections
COPY --from=build /out/sections /usr/local/bin/sections
USER sections
# The folder of the databases. A file in WAL mode needs the whole folder: its log is beside it.
WORKDIR /data
EXPOSE 8080
ENTRYPOINT ["sections"]
