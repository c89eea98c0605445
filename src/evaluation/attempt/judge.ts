import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { HiddenResult } from '../../domain/bench/attempt-record.ts'
import { limits } from '../../domain/limits.ts'
import type { Git } from '../git.ts'
import { applyChange } from '../suite/apply-change.ts'
import type { HiddenCheck, Task } from '../suite/suite.ts'
import { hiddenConfig } from './arm-setup.ts'
import { type Program, type Ran, type Running, runDrydock } from './run-drydock.ts'

export interface Judging extends Pick<Running, 'signal' | 'log'> {
  readonly program: Program
  readonly git: Git
  readonly folder: string
  readonly repository: string
  readonly task: Task
  readonly config: string
  readonly base: string
  /** The commit that the run has produced. */
  readonly commit: string
  readonly flags: readonly string[]
}

/**
 * Adds the hidden tests to the result of a run, and runs them in the verifier's sandbox. Called
 * only after the run has ended, so that no repository contains them before.
 */
export async function judge(judging: Judging): Promise<readonly HiddenResult[]> {
  const results: HiddenResult[] = []
  for (const [n, check] of judging.task.hidden.entries()) results.push(await runHidden(judging, n + 1, check))
  return results
}

interface Verdict {
  readonly status: HiddenResult['status']
  readonly tail_log: string | null
  readonly error_message?: string
}

async function runHidden(judging: Judging, n: number, check: HiddenCheck): Promise<HiddenResult> {
  const { program, git, folder, repository, config, base, commit, flags, signal, log } = judging
  const tree = await applyChange(git, { tree: commit, base, change: check.change })
  const branch = `drydock-hidden-${n}`
  const sha = await git(['commit-tree', '-m', 'Hidden tests', '-p', commit, tree])
  await git(['update-ref', `refs/heads/${branch}`, sha])
  const file = join(folder, `hidden-${n}.json`)
  await writeFile(file, JSON.stringify(hiddenConfig(config, check.command, check.timeoutSec)))
  let verdict: Verdict | null = null
  // The commit is verified against itself, so that only the tests decide, and changes of files do
  // not matter.
  const args = ['verify', sha, '--target', branch, '--config', file, '--repo', repository, ...flags]
  const ran = await runDrydock(program, args, {
    signal,
    log,
    timeoutMs: prepareMs(check),
    onEvent(event) {
      if (event.type === 'result') verdict = (event.answer ?? null) as Verdict | null
    },
  })
  return { command: check.command, ...said(ran, verdict) }
}

/** Time for dependencies in addition to the step's own limit. */
function prepareMs({ timeoutSec }: HiddenCheck): number {
  return 1_000 * (2 * timeoutSec + limits.prepareTimeoutSec)
}

function said({ words }: Ran, verdict: Verdict | null): Pick<HiddenResult, 'status' | 'tail'> {
  if (verdict === null) return { status: 'INFRA_ERROR', tail: words }
  const lines = (verdict.tail_log ?? verdict.error_message ?? '').split('\n')
  return { status: verdict.status, tail: lines.slice(-limits.evaluation.hiddenLines).join('\n') }
}
