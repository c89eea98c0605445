import { basename, dirname, join, resolve } from 'node:path'
import { shellWord } from '../../../app/text/shell-word.ts'
import { usage } from '../../../app/usage.ts'
import { keepBench, removeFolder, takeFolderLock } from '../../../compose.ts'
import { readEnvironment } from '../../../config/environment.ts'
import { type AttemptRecord, attemptName } from '../../../domain/bench/attempt-record.ts'
import { formatDuration } from '../../../domain/figures-text.ts'
import { expectedVerdict, judgeSelfTest } from '../../../evaluation/judge-self-test.ts'
import { openOutFolder } from '../../../evaluation/out-folder.ts'
import { benchReport } from '../../../evaluation/report/bench-report.ts'
import { markdownOf } from '../../../evaluation/report/markdown.ts'
import { runBench } from '../../../evaluation/run-bench.ts'
import { readSuite } from '../../../evaluation/suite/read-suite.ts'
import type { Suite } from '../../../evaluation/suite/suite.ts'
import { scripts, version } from '../../../processes/installation.ts'
import type { Context } from '../../context.ts'
import { untilInterrupted } from '../until-interrupted.ts'
import { type BenchOptions, chooseAttempts } from './bench-choice.ts'
import { importBench } from './import-bench.ts'

/**
 * Measures Drydock on a suite. The exit code is 0 when every attempt was measured, 4 when one was
 * not, and 3 when a self-test fails.
 */
export async function bench(context: Context, [given = '']: readonly string[], options: BenchOptions): Promise<number> {
  if (options.import !== undefined) return importBench(context, given, options)
  if (options.repos !== undefined || options.config !== undefined)
    throw usage('--repos and --config work only together with --import.', 'Leave them out.')
  const { terminal, output } = context
  const named = resolve(given)
  const source = basename(named) === 'suite.json' ? dirname(named) : named
  const suite = await readSuite(source, readEnvironment(terminal.env).path)
  const folder = resolve(options.out ?? `bench-${basename(suite.folder)}`)
  return untilInterrupted(
    (signal) => measure(context, suite, { options, folder, signal }),
    () => output.note(`Stopped. Finished attempts are kept. Continue with: ${continueLine(given, options, folder)}`),
  )
}

interface Measuring {
  readonly options: BenchOptions
  readonly folder: string
  readonly signal: AbortSignal
}

async function measure(context: Context, suite: Suite, { options, folder, signal }: Measuring): Promise<number> {
  const { terminal, output } = context
  const { selfTest = false, jobs = 1, play = null, resume = false, sandbox } = options
  const { tasks, keys, models, modelFlags } = await chooseAttempts(context, { suite, folder, options })
  const settings = { suite: suite.name, digest: suite.digest, models, version: version() }
  const out = await openOutFolder(folder, settings, { resume, takeLock: takeFolderLock })
  try {
    const planned = keys.map((key) => ({ ...key, expected: selfTest ? expectedVerdict(suite, key) : null }))
    await keepBench(terminal.env, folder)
    const attempts = await out.hold(planned, () =>
      runBench({
        out,
        tasks,
        keys,
        jobs,
        modelFlags,
        signal,
        removeFolder,
        program: { command: [process.execPath, scripts.program], env: terminal.env },
        sandboxFlags: sandbox === undefined ? [] : ['--sandbox', sandbox],
        onRecord(record, done) {
          output.emit({ type: 'attempt', ...record })
          output.note(`${done}/${keys.length} ${describe(record)}`)
        },
      }),
    )
    const report = benchReport({ suite: suite.name, version: version(), models, play }, attempts)
    await out.writeReport(report)
    output.emit({ type: 'result', out: folder, ...report })
    if (selfTest) return tellSelfTest(context, suite, attempts)
    if (!output.json) output.say(markdownOf(report))
    output.note(`Report: ${join(folder, 'report.md')}`)
    return attempts.some(({ verdict }) => verdict === 'error') ? 4 : 0
  } finally {
    out.close()
  }
}

function tellSelfTest({ output }: Context, suite: Suite, records: readonly AttemptRecord[]): number {
  const lines = judgeSelfTest(suite, records)
  for (const { ok, attempt, expected, observed } of lines) {
    const mark = ok ? output.screen.paint('good', 'ok    ') : output.screen.paint('bad', 'FAILED')
    output.say(`${mark} ${attempt}: expected ${expected}${ok ? '' : `, observed ${observed}`}`)
  }
  const failed = lines.filter(({ ok }) => !ok).length
  output.emit({ type: 'self_test', failed, lines })
  output.say(`Self-test: ${lines.length - failed} of ${lines.length} as expected.`)
  return failed === 0 ? 0 : 3
}

function describe(record: AttemptRecord): string {
  const { verdict, outcome, wall_ms, cost_usd } = record
  const cost = cost_usd ? `, $${cost_usd.toFixed(2)}` : ''
  const why = record.error === undefined ? '' : `: ${record.error.split('\n')[0]}`
  return `${attemptName(record)}: ${verdict} (${outcome}, ${formatDuration(wall_ms)}${cost})${why}`
}

/** The command line that continues a bench, for people to copy. */
function continueLine(suite: string, options: BenchOptions, folder: string): string {
  const valued = {
    '--model': options.model,
    '--architect-model': options.architectModel,
    '--editor-model': options.editorModel,
    '--scout-model': options.scoutModel,
    '--arms': options.arms,
    '--acceptance': options.acceptance,
    '--tasks': options.tasks,
    '--repeats': options.repeats,
    '--jobs': options.jobs,
    '--play': options.play,
    '--sandbox': options.sandbox,
    '--out': folder,
  }
  const words = Object.entries(valued).flatMap(([flag, value]) => (value === undefined ? [] : [flag, String(value)]))
  const selfTest = options.selfTest ? ['--self-test'] : []
  return ['drydock', 'bench', suite, ...selfTest, ...words, '--resume'].map(shellWord).join(' ')
}
