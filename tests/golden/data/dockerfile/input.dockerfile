# syntax=docker/dockerfile:1
ARG BASE=debian:12

# builds it
FROM --platform=linux/amd64 ${BASE} AS build
RUN apt-get update \
    # tools
    && apt-get install -y make

RUN <<EOF
FROM not a stage
EOF

FROM scratch
COPY --from=build /app /app
