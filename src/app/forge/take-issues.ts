import type { Issue } from '../../ports/forge.ts'
import { checkConfig } from '../commands/check-config.ts'
import { checkModels } from '../commands/check-models.ts'
import { checkContainers, startCommand } from '../commands/start-command.ts'
import { handOver } from '../operations/hand-over.ts'
import { issueRequest, issueTitle } from './issue-request.ts'
import { placeOf, type Watching } from './watching.ts'

/** An issue that became a Run. */
export interface IssueRun {
  readonly run: string
  readonly number: number
}

/** The call name of the rows that map issues to Runs. */
const call = 'takeIssue'

/**
 * Turns open issues with the label into Runs, each once. Only authors with write access are heard.
 * The text of an issue is read once, so later edits are ignored.
 */
export async function takeIssues(watching: Watching): Promise<void> {
  const { forge, label, calls } = watching
  const known = new Set(
    (await calls.forgeCallsNamed(call, keyStart(forge))).flatMap(({ key, finishedAt }) =>
      finishedAt === null ? [] : key,
    ),
  )
  const crew = await forge.issues({ label: crewLabel(label), since: new Date(0) })
  const tasks = await forge.issues({ label, since: new Date(0) })
  const wanted = [
    ...crew.map((issue) => ({ issue, crew: true })),
    ...tasks
      .filter(({ number }) => !crew.some((each) => each.number === number))
      .map((issue) => ({ issue, crew: false })),
  ]
  for (const { issue, crew } of wanted) {
    if (known.has(keyOf(forge, issue.number))) continue
    await watching.attempt(`issue ${issue.number}`, async () => {
      if (await isAsked(watching, issue, crew ? crewLabel(label) : label)) await take(watching, issue, crew)
    })
  }
}

function crewLabel(label: string): string {
  return `${label}:run`
}

/** The Runs that were started from issues of this repository. */
export async function takenIssues({ calls, forge }: Pick<Watching, 'calls' | 'forge'>): Promise<readonly IssueRun[]> {
  const rows = await calls.forgeCallsNamed(call, keyStart(forge))
  return rows
    .filter(({ finishedAt }) => finishedAt !== null)
    .map(({ run, key }) => ({ run, number: Number(key.slice(keyStart(forge).length)) }))
}

/**
 * True if the author has write access, and so has the person who set the label, if the forge tells
 * who that was.
 */
async function isAsked({ forge, mayWrite }: Watching, { number, author }: Issue, label: string): Promise<boolean> {
  if (!(await mayWrite(author))) return false
  const setter = await forge.labeledBy(number, label)
  return setter === null || (await mayWrite(setter))
}

/** Stores the row with the Run's id first, so that the same Run is started after a crash. */
async function take(watching: Watching, issue: Issue, crew: boolean): Promise<void> {
  const { drydock, forge, calls, options, say } = watching
  const key = keyOf(forge, issue.number)
  const request = issueRequest({ issue, project: forge.project, crew })
  await checkContainers(drydock)
  const checked = await checkConfig(drydock, options, true)
  const models = checkModels(drydock, options, { crew })
  const title = issueTitle(issue)
  const { command } = await startCommand(drydock, { request, models, checked, title, options })
  await calls.startForgeCall({ key, run: command.run, call, request: { number: issue.number, url: issue.url } })
  const row = (await calls.forgeCallsNamed(call, key)).find((each) => each.key === key)
  if (row === undefined) throw new Error(`no row ${key}`)
  await handOver(drydock, `start/${row.run}`, { ...command, run: row.run })
  await calls.finishForgeCall(key, { run: row.run })
  const what = crew ? 'a run of the crew' : 'a task'
  say({
    what: 'issue_taken',
    text: `Issue ${issue.number} is ${what} now: ${row.run}`,
    run: row.run,
    number: issue.number,
  })
}

function keyStart(forge: Watching['forge']): string {
  return `${call}/${placeOf(forge)}`
}

function keyOf(forge: Watching['forge'], number: number): string {
  return `${keyStart(forge)}${number}`
}
