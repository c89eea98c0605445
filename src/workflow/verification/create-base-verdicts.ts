import type { Lane } from '../../domain/lane/lane.ts'
import { limits } from '../../domain/limits.ts'
import { beganWith, gateConfigOf, isEnded, type Run } from '../../domain/run/run.ts'
import { failingIn, isGreen } from '../../domain/verification/reruns.ts'
import { verificationId } from '../../domain/verification/verification.ts'
import { baseVerdict } from '../../gate/base-verdict.ts'
import type { GateDependencies } from '../../gate/dependencies.ts'
import type { TreeTests } from '../../gate/tests-of-tree.ts'
import { actAfter } from '../../ports/act-after.ts'
import { runOf } from '../machines.ts'
import type { Repositories } from '../repositories.ts'
import type { StepDependencies } from '../step-dependencies.ts'
import type { BaseVerdicts } from './base-verdicts.ts'

export function createBaseVerdicts(
  deps: StepDependencies,
  repositories: () => Repositories<GateDependencies>,
): BaseVerdicts {
  const { clock } = deps
  const ending = new AbortController()
  const lanes = new Set<string>()
  const known = new Set<string>()
  let working: Promise<void> = Promise.resolve()
  const cancels = new Set<() => void>()

  async function work(lane: Lane): Promise<void> {
    const run = await runOf(deps.store, lane)
    if (ending.signal.aborted || isEnded(run.state)) return
    const config = gateConfigOf(run)
    const { base } = run.data
    if (config === null || base === null || !isVerified(run) || known.has(`${run.id} ${base}`)) return
    const own = await repositories().of(lane)
    const at = clock.now()
    const runId = verificationId(at, clock.random())
    const where = { runId, base, isFromStart: beganWith(run, base), checkout: 'base' }
    const asked = { ...where, config, onPrepare: async () => undefined, at: at.toISOString() }
    const tests = await baseVerdict(own, asked, ending.signal)
    known.add(`${run.id} ${base}`)
    await tell(run, tests)
  }

  async function tell(run: Run, { commit, status, commands, tests }: TreeTests): Promise<void> {
    const failing = [...new Set(Object.values(tests).flatMap(failingIn))]
    const named = run.data.allowFailing ?? []
    const allowed = new Set(gateConfigOf(run)?.allowFailing)
    const told = failing.filter((id) => !allowed.has(id))
    // Steps that did not run to their end do not show that a test passes.
    const isWhole = commands.length === run.data.config?.steps.length && commands.every((each) => !each.timed_out)
    const refused = isWhole ? named.filter((id) => !failing.includes(id)) : []
    const red = commands.filter((each) => !isGreen(each, tests[each.name] ?? null))
    const steps = red.flatMap(({ name }) => (failingIn(tests[name] ?? null).length === 0 ? name : []))
    if (told.length + refused.length + steps.length === 0) return
    const before = await deps.store.recentEvents({
      run: run.id,
      types: ['base_verdict'],
      limit: limits.repositories + 1,
    })
    if (before.some(({ data }) => data.commit === commit)) return
    const data = { commit, status, failing: told.slice(0, limits.eventPaths), count: told.length, steps, refused }
    await deps.engine.transact((tx) => tx.appendEvent({ run: run.id, story: null, type: 'base_verdict', data }))
  }

  return {
    beside(lane) {
      if (lanes.has(lane.id) || ending.signal.aborted) return
      lanes.add(lane.id)
      const cancel = actAfter(clock, { ms: limits.baseVerdictMs, keepsAlive: false }, () => {
        cancels.delete(cancel)
        // The gate meets the same obstacle, and reports it.
        working = working.then(() => work(lane)).catch(() => undefined)
      })
      cancels.add(cancel)
    },
    async end() {
      ending.abort()
      for (const cancel of cancels) cancel()
      await working
    },
  }
}

/** True if the Run's changes go through the gate. */
function isVerified({ data: { request, config } }: Run): boolean {
  if (config === null || config.steps.length === 0) return false
  return request.kind === 'task' ? !request.dryRun : request.kind === 'spec' && !request.planOnly
}
