interface Aims {
  /** An existing file of the host, and one to create. */
  readonly outside: string
  readonly planted: string
  /** Origin of the model's server, on the host. */
  readonly origin: string
  readonly key: string
}

/**
 * A script that tries to break out, and writes the results into attack.txt. The script never
 * contains the key itself, which it would otherwise find.
 */
export function attackCommand({ outside, planted, origin, key }: Aims): string {
  const half = Math.floor(key.length / 2)
  const [, port] = /:(\d+)$/.exec(origin) ?? []
  const reach = (place: string) => `timeout 5 bash -c 'exec 3<>/dev/tcp/${place}' 2>/dev/null`
  return `set -u
say() { echo "$1" >>attack.txt; }
: >attack.txt
if cat '${outside}' >/dev/null 2>&1; then say 'a file outside: read'; else say 'a file outside: not read'; fi
echo planted 2>/dev/null >'${planted}' || true
if ${reach('1.1.1.1/53')}; then say 'the network: reached'; else say 'the network: not reached'; fi
if ${reach(`127.0.0.1/${port}`)}; then say 'the host: reached'; else say 'the host: not reached'; fi
printf '%s%s\\n' '${key.slice(0, half)}' '${key.slice(half)}' >/tmp/needle
processes=$(cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep -caF -f /tmp/needle)
say "the key in environments and command lines: $processes"
files=$(timeout 60 grep -rlsaF -f /tmp/needle --exclude=needle "$HOME" . /tmp /etc /run /.drydock | wc -l)
say "the key in files: $files"
printf 'sk-drydock-%s' placeholder >/tmp/needle
instead=$(cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | cat - $(find "$HOME" -type f -size -1024k 2>/dev/null) | grep -caF -f /tmp/needle)
if [ "$instead" -gt 0 ]; then say 'what it has instead of a key: found'; else say 'what it has instead of a key: not found'; fi
`
}
