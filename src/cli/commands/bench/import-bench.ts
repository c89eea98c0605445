import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { shellWord } from '../../../app/text/shell-word.ts'
import { usage } from '../../../app/usage.ts'
import { readEnvironment } from '../../../config/environment.ts'
import { parseRepositoryConfig } from '../../../config/load.ts'
import { importFormats, importSuite } from '../../../evaluation/import/import-suite.ts'
import type { Context } from '../../context.ts'
import type { BenchOptions } from './bench-choice.ts'

/** Converts the checkout of a public benchmark to a suite, without measuring. */
export async function importBench(
  { terminal, output }: Context,
  checkout: string,
  options: BenchOptions,
): Promise<number> {
  const format = importFormats.find((name) => name === options.import)
  if (format === undefined) throw usage(`There is no format ${options.import}.`, `Formats: ${importFormats.join(', ')}`)
  const folder = resolve(options.out ?? `suite-${format}`)
  const importing = {
    checkout: resolve(checkout),
    repos: resolve(options.repos ?? join(checkout, 'repos')),
    config: await configText(options.config),
    path: readEnvironment(terminal.env).path,
  }
  const { tasks, skipped } = await importSuite(format, importing, folder)
  for (const { what, why } of skipped) output.note(`Skipped ${what}: ${why}`)
  output.emit({ type: 'imported', format, suite: folder, tasks, skipped })
  output.say(`${tasks} tasks in ${folder}. Check them: drydock bench ${shellWord(folder)} --self-test`)
  return 0
}

async function configText(file: string | undefined): Promise<string | null> {
  if (file === undefined) return null
  const text = await readFile(file, 'utf8').catch(() => {
    throw usage(`${file} cannot be read.`, 'Correct --config.')
  })
  parseRepositoryConfig(text, file)
  return text
}
