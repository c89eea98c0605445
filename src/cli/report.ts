import type { StateReader } from '../compose.ts'
import { hasCrew } from '../domain/run.ts'
import type { CommonOptions, Context } from './context.ts'
import { readCrew } from './crew.ts'
import { crewReport } from './crew-report.ts'
import { findWork, isBuilt, type Work } from './find-run.ts'
import { open } from './open.ts'
import { reading } from './reading.ts'

export async function report(context: Context, [id]: readonly string[], options: CommonOptions): Promise<number> {
  const drydock = await open(context, options)
  const { output } = context
  return reading(drydock, async (records) => {
    const work = await findWork(records, id, isBuilt)
    const { run, story } = work
    const all = (await records?.verifications(run.id)) ?? []
    const ofCrew = hasCrew(run)
    const whole = ofCrew && story === null && records !== null ? crewReport(await readCrew(records, run)) : null
    const told = whole === null ? oneStory(work) : { report: whole }
    const name = ofCrew ? (story?.story ?? null) : null
    output.emit({
      ...{ type: 'report', run: run.id, ...(name !== null && { story: name }) },
      ...{ state: name === null ? run.state : story?.state, ...told },
      verifications: all.filter((each) => name === null || each.story === name).map(verificationOf),
    })
    if (!output.json) output.say(output.screen.prose(whole ?? textOf(work)))
    return 0
  })
}

/** Of a task, or of a story of a crew: its summary, or else why it has none. */
function oneStory({ run, story }: Work) {
  const summary = story?.data.summary?.text ?? null
  const stuck = summary === null ? (story?.data.stuckReport ?? null) : null
  return { summary, stuck_report: stuck, answer: run.data.answer }
}

function textOf(work: Work): string {
  const { summary, stuck_report: stuck, answer: given } = oneStory(work)
  const answer = given === null ? null : JSON.stringify(given, null, 2)
  const { run, story } = work
  const name = hasCrew(run) && story !== null ? story : run
  return summary ?? stuck ?? answer ?? `${name.id} is ${name.state}: there is no report yet.`
}

function verificationOf({
  runId,
  status,
  commitSha,
}: Awaited<ReturnType<StateReader['verifications']>>[number]): object {
  return { run_id: runId, status, sha: commitSha }
}
