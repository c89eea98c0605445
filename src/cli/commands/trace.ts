import { writeFile } from 'node:fs/promises'
import { exportTrace } from '../../app/commands/export-trace.ts'
import { usage } from '../../app/usage.ts'
import { readTrace } from '../../app/views/trace.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'

/** Exports the trace of a Run to the collector, to a file, or to stdout. */
export async function trace(
  context: Context,
  [id]: readonly string[],
  options: CommonOptions & { readonly out?: string },
): Promise<number> {
  const { output } = context
  if (options.json && options.out === '-') throw usage('--json and --out - both write to stdout.', 'Use one of them.')
  const drydock = await open(context, options)
  const told = await readTrace(drydock, id)
  const { run, spans, metrics, isWhole } = told
  const counts = { run: run.id, spans: spans.length, metrics: metrics.length }
  if (options.out === undefined) {
    const { to, rejected } = await exportTrace(drydock, told)
    output.emit({ type: 'trace', ...counts, to, rejected })
    if (!output.json) output.say(`Sent ${spans.length} spans of ${run.id} to ${to}; it rejected ${rejected}.`)
  } else {
    const items = [{ run: run.id, items: spans }]
    const texts = drydock.telemetry.texts(items, metrics.length === 0 ? [] : [{ run: run.id, items: metrics }])
    if (options.out === '-') output.say(texts.join('\n'))
    else await writeNew(options.out, `${texts.join('\n')}\n`)
    output.emit({ type: 'trace', ...counts, to: options.out, rejected: 0 })
    if (!output.json && options.out !== '-') output.say(`Wrote ${spans.length} spans of ${run.id} to ${options.out}.`)
  }
  if (!isWhole) output.note('The run has not ended. Its own span and those of its agents follow when it has.')
  return 0
}

async function writeNew(file: string, text: string): Promise<void> {
  await writeFile(file, text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'EEXIST' ? 'the file exists' : error.message
    throw usage(`--out ${file}: ${why}.`, 'Name another file.')
  })
}
