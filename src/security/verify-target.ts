import type { Target } from './target.ts'

export interface Verdict {
  readonly status: string
  readonly run_id: string
  readonly tail_log: string | null
}

/** The verdict of the installed Drydock's gate about a commit, with the tip's configuration. */
export async function verifyTarget(target: Target, sha: string = target.tip): Promise<Verdict> {
  const { events, output } = await target.run(['verify', sha])
  const answer = events.at(-1)?.answer as Verdict | undefined
  if (answer === undefined) throw new Error(`no verdict: ${output.slice(-500)}`)
  return answer
}
