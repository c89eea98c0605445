import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'

const closeOnExec = 0o2000000

/**
 * Descriptors from 3 on that a child process would inherit because the parent of this process left
 * them open. A descriptor of a folder is a way out of any sandbox.
 */
function inheritedDescriptors(): number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((fd) => fd >= 3 && isInherited(fd))
}

function isInherited(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1]
    return flags === undefined || (Number.parseInt(flags, 8) & closeOnExec) === 0
  } catch (error) {
    // The descriptor that listed the folder is closed by now.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}

/**
 * `stdio` with a harmless file in place of every inheritable descriptor; call `close` once the
 * child has started.
 */
export function sealed<Slot>(stdio: readonly Slot[]): { readonly stdio: (Slot | number | 'ignore')[]; close(): void } {
  const sealedStdio: (Slot | number | 'ignore')[] = [...stdio]
  const inherited = inheritedDescriptors().filter((fd) => fd >= stdio.length)
  if (inherited.length === 0) return { stdio: sealedStdio, close: () => undefined }
  const nothing = openSync('/dev/null', 'r')
  for (let fd = stdio.length; fd <= Math.max(...inherited); fd += 1) {
    sealedStdio[fd] = inherited.includes(fd) ? nothing : 'ignore'
  }
  return { stdio: sealedStdio, close: () => closeSync(nothing) }
}
