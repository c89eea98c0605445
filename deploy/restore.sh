#!/bin/sh
# Restores what backup.sh has made, on this machine or a new one. Nothing that is there is replaced.
#   restore.sh BACKUP
# Run it as the user of Drydock, with the DRYDOCK_HOME that will be used, and with
# DRYDOCK_DATABASE_URL of an empty database if the rows were in one.
set -eu
umask 077

[ $# -eq 1 ] || { echo "usage: restore.sh BACKUP" >&2; exit 2; }
backup=$1
home=${DRYDOCK_HOME:-${XDG_STATE_HOME:-$HOME/.local/state}/drydock}
database=${DRYDOCK_DATABASE_URL:-}
# A state knows its repository by this path.
repository=$(cat "$backup/path")

for place in "$home" "$repository"; do
  [ ! -e "$place" ] || { echo "$place is there already; move it away first" >&2; exit 2; }
done
for dump in "$backup"/*.dump; do
  [ -e "$dump" ] || continue
  [ -n "$database" ] || { echo "the rows were on PostgreSQL: set DRYDOCK_DATABASE_URL" >&2; exit 2; }
  pg_restore --dbname="$database" --no-owner --exit-on-error --single-transaction "$dump"
done
mkdir -p "$(dirname "$home")" "$(dirname "$repository")"
cp -a "$backup/repository" "$repository"
cp -a "$backup/home" "$home"
echo "restored $repository and $home; look with: drydock doctor && drydock status"
