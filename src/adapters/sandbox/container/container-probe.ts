import type { Sandbox, SandboxSpec } from '../../../ports/sandbox.ts'
import type { Probe } from '../../../ports/sandbox-limits.ts'
import { mostProcesses } from '../control-group.ts'
import type { ResolvedPlainMount } from '../mounts.ts'
import { toolbox } from '../toolbox.ts'
import { failure } from './container-failure.ts'

const mebibyte = 1_048_576
const limits = { memoryBytes: 512 * mebibyte, fileBytes: mebibyte, openFiles: 64, tmpfsBytes: mebibyte }

/**
 * Prints the names and values of the limits inside; those of control groups only if these exist.
 */
const script = `
${toolbox.node} --version >/dev/null || exit 1
echo "user $(id -u)"
echo "data $(ulimit -d)"
echo "fsize $(ulimit -f)"
echo "nofile $(ulimit -n)"
groups=/sys/fs/cgroup
for file in $groups/memory.max $groups/memory/memory.limit_in_bytes; do [ -r $file ] && echo "memory $(cat $file)"; done
for file in $groups/pids.max $groups/pids/pids.max; do [ -r $file ] && echo "pids $(cat $file)"; done
grep -q '^[^ ]* /tmp tmpfs .*size=${limits.tmpfsBytes / 1024}k' /proc/mounts && echo 'tmpfs bounded'
tail -n +3 /proc/net/dev | grep -qv '^ *lo:' || echo 'network none'
exit 0`

/**
 * Checks the limits from inside a container, since the container program may ignore them with a
 * mere warning.
 */
export async function probeContainer(
  sandbox: Pick<Sandbox, 'exec' | 'name' | 'image'>,
  toolboxMounts: () => Promise<readonly ResolvedPlainMount[]>,
): Promise<Probe> {
  const mounts = (await toolboxMounts()).map(({ source, at, access }) => ({ path: source, at, access }))
  const spec: SandboxSpec = { mounts, cwd: '/', env: {}, limits }
  let output = ''
  const onOutput = (chunk: Uint8Array) => {
    output += Buffer.from(chunk).toString()
  }
  const done = await sandbox.exec(spec, { command: script, timeoutMs: 30_000, onOutput }, new AbortController().signal)
  if (!done.ok) return done
  if (done.value.exitCode !== 0) {
    const needs = 'it needs glibc and libstdc++, which images of Alpine do not have'
    const words = `Drydock's Node cannot run in the image ${sandbox.image}: ${needs}. ${output.trim()}`
    return { ok: false, error: failure('sandbox_unavailable', words) }
  }
  return { ok: true, enforced: whatHolds(output) }
}

function whatHolds(output: string): Extract<Probe, { ok: true }>['enforced'] {
  const seen = new Map(output.split('\n').map((line) => line.split(' ') as [string, string]))
  const holds = (name: string, ...values: readonly (string | number)[]) =>
    values.map(String).includes(seen.get(name) ?? '')
  return {
    network: holds('network', 'none') ? 'enforced' : 'not',
    tmpfsBytes: holds('tmpfs', 'bounded') ? 'enforced' : 'not',
    // Some shells count blocks of 512 bytes, others of 1,024.
    fileBytes: holds('fsize', limits.fileBytes / 512, limits.fileBytes / 1024) ? 'enforced' : 'not',
    openFiles: holds('nofile', limits.openFiles) ? 'enforced' : 'not',
    memoryBytes: memory(),
    // The kernel's own limit applies to every user except root.
    processes: holds('pids', mostProcesses) || !holds('user', 0) ? 'enforced' : 'not',
  }

  function memory() {
    if (holds('memory', limits.memoryBytes)) return 'enforced'
    return holds('data', limits.memoryBytes / 1024) ? 'best effort' : 'not'
  }
}
