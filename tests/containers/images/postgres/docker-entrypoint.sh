#!/bin/bash
# The first start makes the database that POSTGRES_USER, _PASSWORD, _DB and _INITDB_ARGS describe; each start then serves it.
set -euo pipefail
[ "${1#-}" = "$1" ] || set -- postgres "$@"
[ "$1" = postgres ] || exec "$@"
if [ "$(id -u)" = 0 ]; then
    install -d -o postgres -g postgres -m 0700 "$PGDATA"
    chown -R postgres "$PGDATA"
    exec setpriv --reuid=postgres --regid=postgres --init-groups "$BASH_SOURCE" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    user=${POSTGRES_USER:-postgres} database=${POSTGRES_DB:-${POSTGRES_USER:-postgres}}
    : "${POSTGRES_PASSWORD:?a password for $user}"
    eval "initdb --username='$user' --pwfile=<(printf '%s\n' \"\$POSTGRES_PASSWORD\") --auth-local=trust --auth-host=scram-sha-256 ${POSTGRES_INITDB_ARGS:-}"
    echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
    echo "listen_addresses = '*'" >> "$PGDATA/postgresql.conf"
    pg_ctl -w start -o "-c listen_addresses=''"
    [ "$database" = postgres ] || createdb -U "$user" "$database"
    for file in /docker-entrypoint-initdb.d/*; do
        case "$file" in
            *.sh) bash "$file" ;;
            *.sql) psql -v ON_ERROR_STOP=1 -U "$user" -d "$database" -f "$file" ;;
        esac
    done
    pg_ctl -w -m fast stop
fi
exec "$@"
