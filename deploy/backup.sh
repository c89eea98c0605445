#!/bin/sh
# Backs up the states of an installation and one repository, while Drydock works.
#   backup.sh REPOSITORY TARGET
# Needs git and sqlite3, or pg_dump of the server's version where DRYDOCK_DATABASE_URL is set.
# Run it as the user of Drydock, with the same DRYDOCK_HOME. TARGET is a folder that is not there
# yet. It holds keys: nobody else may read it.
set -eu
umask 077

[ $# -eq 2 ] || { echo "usage: backup.sh REPOSITORY TARGET" >&2; exit 2; }
repository=$(realpath "$1")
target=$2
home=${DRYDOCK_HOME:-${XDG_STATE_HOME:-$HOME/.local/state}/drydock}
database=${DRYDOCK_DATABASE_URL:-}

[ ! -e "$target" ] || { echo "$target is there already" >&2; exit 2; }
[ -d "$home" ] || { echo "there is no state in $home" >&2; exit 2; }
case $database in
  *://*:*@*) echo "Take the password out of DRYDOCK_DATABASE_URL and put it into ~/.pgpass: others could see it." >&2; exit 2 ;;
esac

made=$target.part
rm -rf "$made"
mkdir -p "$made/home"

# The rows first: all that they name is in the files by then, and files are only added.
for state in "$home"/*-????????????; do
  [ -d "$state" ] || continue
  name=$(basename "$state")
  mkdir "$made/home/$name"
  if [ -f "$state/drydock.db" ]; then
    sqlite3 -readonly "$state/drydock.db" ".timeout 10000" ".backup '$made/rows.db'"
    mv "$made/rows.db" "$made/home/$name/drydock.db"
  fi
  if [ -n "$database" ] && [ -f "$state/postgres.json" ]; then
    words=$(printf %s "${name%-*}" | tr 'A-Z' 'a-z' | sed 's/[^a-z0-9][^a-z0-9]*/_/g' | cut -c 1-40)
    pg_dump --dbname="$database" --schema="drydock_${words}_${name##*-}" --no-owner --no-privileges --format=custom \
      --file="$made/$name.dump"
  fi
done

# Files that come and go while they are copied are no loss; a git folder must be whole.
copy() {
  from=$1 to=$2
  shift 2
  (cd "$from" && tar "$@" -cf - .) 2>/dev/null | tar -xf - -C "$to" || true
}
for try in 1 2 3; do
  copy "$home" "$made/home" --anchored --no-wildcards-match-slash --exclude='./*/drydock.db*'
  rm -rf "$made/repository"
  mkdir "$made/repository"
  copy "$repository" "$made/repository"
  whole=yes
  for git in "$made/repository" "$made"/home/*/mirror.git; do
    [ -e "$git" ] || continue
    git -c safe.directory='*' -C "$git" fsck --connectivity-only --no-dangling >/dev/null 2>&1 || whole=no
  done
  [ $whole = yes ] && break
  [ "$try" = 3 ] && { echo "git was never whole while it was copied; stop Drydock and try again" >&2; exit 1; }
done

printf '%s\n' "$repository" >"$made/path"
mv "$made" "$target"
echo "backed up to $target"
