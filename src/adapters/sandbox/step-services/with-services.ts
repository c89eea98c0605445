import type { InfraError } from '../../../domain/verification/verdict.ts'
import type { CommandExit, SandboxCommand, SandboxResult, SandboxSpec } from '../../../ports/sandbox.ts'
import type { SandboxService, ServiceRun } from '../../../ports/sandbox-services.ts'
import type { Preparation } from '../run-to-end.ts'
import { startFailure } from '../start-failure.ts'
import type { StarterMessage } from './inside/starter-protocol.ts'
import type { OpenServices } from './starter-connections.ts'

/** The time for starting the sandbox and its program, on top of the services' own time. */
const startMs = 60_000

/** Runs a command without services. */
export type RunWithServices = (
  spec: SandboxSpec,
  command: SandboxCommand & { readonly preparation?: Preparation },
  signal: AbortSignal,
) => Promise<SandboxResult<CommandExit>>

/**
 * Runs a command in a sandbox that first starts its services. The command's process is the
 * sandbox's own, as without services: when it ends, which the host sees, the sandbox and every
 * service end.
 */
export async function withServices(
  spec: SandboxSpec,
  { services = [], ...command }: SandboxCommand,
  signal: AbortSignal,
  run: RunWithServices,
): Promise<SandboxResult<CommandExit>> {
  if (services.length === 0) return run(spec, command, signal)
  const { afterServices, openServices } = await import('./starter-connections.ts')
  const giveUp = new AbortController()
  const state = watchServices(services, () => giveUp.abort())
  let open: OpenServices
  try {
    open = await openServices(services, state.onSaid)
  } catch (error) {
    return { ok: false, error: startFailure(String(error)) }
  }
  try {
    // A failure to write a log ends the sandbox, and is thrown below.
    open.read.catch(() => giveUp.abort())
    const mostMs = services.reduce((sum, { timeoutMs }) => sum + timeoutMs, startMs)
    const ran = await run(
      { ...spec, mounts: [...spec.mounts, ...open.mounts] },
      { ...command, command: afterServices(command.command), preparation: { over: state.begun, mostMs } },
      AbortSignal.any([signal, giveUp.signal]),
    ).catch((error: unknown) => {
      signal.throwIfAborted()
      if (giveUp.signal.aborted) return null
      throw error
    })
    await open.end()
    return state.answer(ran)
  } finally {
    await open.end().catch(() => undefined)
    await open.close()
  }
}

/** Derives the state of the services from the reports. */
function watchServices(services: readonly SandboxService[], onFailed: () => void) {
  const begun = Promise.withResolvers<void>()
  const ready = new Map<string, ServiceRun>()
  let hasBegun = false
  let failed: string | null = null

  function onSaid(line: StarterMessage): void {
    // Once the command runs, its own exit decides.
    if (line.is === 'failed' && !hasBegun) {
      failed ??= `${line.name} did not come up: ${line.why}`
      onFailed()
    }
    if (line.is === 'ready') ready.set(line.name, { name: line.name, readyMs: line.ms, exitCode: null })
    if (line.is === 'begun' && failed === null) {
      hasBegun = true
      begun.resolve()
    }
    const known = line.is === 'ended' ? ready.get(line.name) : undefined
    if (line.is === 'ended' && known !== undefined) ready.set(line.name, { ...known, exitCode: line.exitCode })
  }

  function answer(ran: SandboxResult<CommandExit> | null): SandboxResult<CommandExit> {
    if (failed !== null) return { ok: false, error: serviceFailed(failed) }
    if (ran?.ok === false) return ran
    if (ran === null || !hasBegun) {
      const waiting = services.find(({ name }) => !ready.has(name))?.name ?? 'the last of them'
      const why = ran?.value.timedOut ? 'it took too long' : 'what starts it was ended from inside the sandbox'
      return { ok: false, error: serviceFailed(`${waiting} did not come up: ${why}`) }
    }
    return { ok: true, value: { ...ran.value, services: services.flatMap(({ name }) => ready.get(name) ?? []) } }
  }

  return { begun: begun.promise, onSaid, answer }
}

function serviceFailed(words: string): InfraError {
  return { errorType: 'service_failed', errorMessage: `Service ${words}` }
}
