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

/** Runs `true` in a sandbox, since an installed bwrap may still not be permitted to work. */
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
      // The limit applies to each process, not to their sum.
      memoryBytes: 'best effort',
      processes: processesAreBounded() ? 'enforced' : 'not',
    },
  }
}

/** The kernel limits the processes of every user except root, who needs a control group. */
function processesAreBounded(): boolean {
  if (process.getuid?.() !== 0) return true
  const group = makeControlGroup()
  group?.remove()
  return group !== null
}
