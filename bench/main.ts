import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, loadavg } from 'node:os'
import { promisify } from 'node:util'
import type { Fixture } from '../test/scenarios/world/fixture.ts'
import { measureAssurance } from './assurance.ts'
import { measureBareTools } from './bare-tools.ts'
import type { GroupFigures } from './benchmarks.ts'
import { measureBudget } from './budget.ts'
import { type Comparison, compare, type Results } from './compare.ts'
import { measureCounts } from './counts.ts'
import { measureCrew } from './crew.ts'
import { measureDashboard } from './dashboard/dashboard.ts'
import { measureLargeDiff } from './dashboard/large-diff.ts'
import { measureFastify } from './fastify.ts'
import { type Figure, judge, table } from './figures.ts'
import { measureLongTask } from './long-task.ts'
import { type ModelProcess, startModel } from './model-process.ts'
import { now } from './now.ts'
import { measureRecovery } from './recovery.ts'
import { createRepository, filesOfLargeRepository } from './repository.ts'
import { measureReviewReads } from './review-reads.ts'
import { measureSlots } from './slots.ts'
import { measureStartup } from './startup.ts'
import { measureStore } from './store.ts'
import { measureTools } from './tools.ts'
import { measureTurns } from './turns.ts'
import { measureVerification } from './verification.ts'

interface Setting {
  readonly model: ModelProcess
  readonly large: Fixture
}

const groups: Readonly<Record<string, (setting: Setting) => Promise<GroupFigures>>> = {
  turns: ({ model }) => measureTurns(model),
  long: ({ model }) => measureLongTask(model),
  counts: ({ model }) => measureCounts(model),
  startup: ({ model, large }) => measureStartup(model, large),
  slots: ({ large }) => measureSlots(large),
  verification: ({ model, large }) => measureVerification(model, large),
  assurance: async () => ({ ...(await measureAssurance()), ...(await measureFastify()) }),
  tools: async ({ model, large }) => ({ ...(await measureTools(model, large)), ...(await measureBareTools(large)) }),
  reviews: ({ large }) => measureReviewReads(large),
  crew: ({ large }) => measureCrew(large),
  budget: () => measureBudget(),
  store: () => measureStore(),
  recovery: ({ model }) => measureRecovery(model),
  dashboard: () => measureDashboard(),
  diff: () => measureLargeDiff(),
}

/**
 * Measures everything, or the groups in the arguments; only a full measurement is written to
 * results.json.
 */
async function main(chosen: readonly string[]): Promise<void> {
  const unknown = chosen.filter((name) => !(name in groups))
  if (unknown.length > 0) throw new Error(`no group ${unknown.join(', ')}; there are ${Object.keys(groups).join(', ')}`)
  const committed = await committedResults()
  const start = now()
  const loadBefore = Number(loadavg()[0]?.toFixed(2))
  const model = await startModel()
  const large = await createRepository(filesOfLargeRepository)
  let measured: GroupFigures = {}
  const failed: string[] = []
  try {
    for (const [name, measure] of Object.entries(groups)) {
      if (chosen.length > 0 && !chosen.includes(name)) continue
      const started = now()
      try {
        measured = { ...measured, ...(await measure({ model, large })) }
      } catch (error) {
        // Earlier groups keep their results.
        failed.push(name)
        console.error(`bench: ${name} failed:`, error)
      }
      console.error(`bench: ${name} took ${((now() - started) / 1_000).toFixed(0)} s`)
    }
  } finally {
    await large.remove()
    await model.close()
  }
  const figures = judge(measured)
  const machine = { node: process.version, cores: availableParallelism(), load_before: loadBefore }
  console.log(`\n${table(figures)}\n`)
  console.log(
    `node ${machine.node}, ${machine.cores} cores, load ${loadBefore} before; ${Math.round((now() - start) / 1_000)} s`,
  )
  report(compare({ machine, figures }, committed))
  if (failed.length > 0) {
    console.error(`\nThese groups failed, so nothing was written: ${failed.join(', ')}`)
    process.exitCode = 1
  }
  if (chosen.length > 0 || failed.length > 0) return
  await writeFile(new URL('./results.json', import.meta.url), `${JSON.stringify({ machine, figures }, null, 2)}\n`)
  await showInDocs(figures)
}

/**
 * Reads the committed version, since an earlier run may have written the file without anybody's
 * approval.
 */
async function committedResults(): Promise<Results> {
  const cwd = new URL('.', import.meta.url)
  return JSON.parse((await promisify(execFile)('git', ['show', 'HEAD:./results.json'], { cwd })).stdout)
}

/** A row that is a third worse than the committed one fails the run. */
function report({ worse, hints, noise }: Comparison): void {
  const list = (heading: string, lines: readonly string[]) => {
    if (lines.length > 0) console.log(`\n${heading}\n${lines.map((line) => `  ${line}`).join('\n')}`)
  }
  list('This machine is noisy, so run it again when it is quiet:', noise)
  list('A hint only, since these have no partner in the bare loop; a third worse than the committed figures:', hints)
  list('A THIRD WORSE than the committed figures:', worse)
  if (worse.length > 0) process.exitCode = 1
  else console.log('\nNo row that has a partner in the bare loop is a third worse than the committed figures.')
}

async function showInDocs(figures: readonly Figure[]): Promise<void> {
  const file = new URL('./README.md', import.meta.url)
  const text = await readFile(file, 'utf8')
  const heading = '## Last figures\n'
  const before = text.slice(0, text.indexOf(heading) + heading.length)
  await writeFile(file, `${before}\n\`\`\`\n${table(figures)}\n\`\`\`\n`)
}

await main(process.argv.slice(2))
