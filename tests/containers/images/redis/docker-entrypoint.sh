#!/bin/sh
# Without a password Redis answers its own machine alone; here whoever is in the same network of containers.
set -e
[ "${1#-}" = "$1" ] || set -- redis-server "$@"
[ "$1" = redis-server ] && set -- "$@" --protected-mode no
if [ "$(id -u)" = 0 ] && [ "$1" = redis-server ]; then
    chown -R redis /data
    exec setpriv --reuid=redis --regid=redis --init-groups "$@"
fi
exec "$@"
