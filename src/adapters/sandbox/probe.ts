import type { Sandbox, SandboxSpec } from '../../ports/sandbox.ts'
import type { Probe } from '../../ports/sandbox-limits.ts'
import { makeControlGroup } from './control-group.ts'

const mebibyte = 1_048_576
const spec: SandboxSpec = {
  mounts: [],
  cwd: '/',
  env: {},
  limits: { memoryBytes: 512 * mebibyte, fileBytes: mebibyte, openFiles: 64, tmpfsBytes: mebibyte },
}

/** Runs `true` in a sandbox, because having bwrap does not mean that it may do its work. */
export async function probeSandbox(sandbox: Pick<Sandbox, 'exec'>): Promise<Probe> {
  const done = await sandbox.exec(spec, { command: 'true', timeoutMs: 10_000 }, new AbortController().signal)
  if (!done.ok) return done
  if (done.value.exitCode !== 0) {
    return { ok: false, error: { errorType: 'sandbox_unavailable', errorMessage: '`true` failed in a sandbox' } }
  }
  return {
    ok: true,
    enforced: {
      network: 'enforced',
      tmpfsBytes: 'enforced',
      fileBytes: 'enforced',
      openFiles: 'enforced',
      // Of each process, not of all together.
      memoryBytes: 'best effort',
      processes: processesAreBounded() ? 'enforced' : 'not',
    },
  }
}

/** The kernel counts the processes of everyone but root, for whom a control group does. */
function processesAreBounded(): boolean {
  if (process.getuid?.() !== 0) return true
  const group = makeControlGroup()
  group?.remove()
  return group !== null
}
