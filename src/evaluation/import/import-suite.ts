import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DrydockError } from '../../domain/drydock-error.ts'
import { importCommit0 } from './commit0.ts'
import { importCooperbench } from './cooperbench.ts'
import type { Importing, ImportResult, SkippedItem } from './imported.ts'
import { importPolyglot } from './polyglot.ts'

const adapters = {
  cooperbench: importCooperbench,
  commit0: importCommit0,
  polyglot: importPolyglot,
} as const satisfies Readonly<Record<string, (importing: Importing) => Promise<ImportResult>>>

export const importFormats = Object.keys(adapters) as readonly (keyof typeof adapters)[]

export interface WrittenSuite {
  readonly tasks: number
  readonly skipped: readonly SkippedItem[]
}

/**
 * Converts a checkout to a suite in a new folder. Throws DrydockError `bad_suite` if there is no
 * checkout, or no task in it.
 */
export async function importSuite(
  format: keyof typeof adapters,
  importing: Importing,
  folder: string,
): Promise<WrittenSuite> {
  const { checkout } = importing
  if (!(await stat(checkout).catch(() => null))?.isDirectory())
    throw new DrydockError('bad_suite', `The folder ${checkout} does not exist.`, {
      todo: 'Name the folder that holds the checkout of the benchmark.',
    })
  if ((await readdir(folder).catch(() => [])).length > 0)
    throw new DrydockError('bad_suite', `${folder} holds other files.`, {
      todo: 'Name a new or an empty folder with --out.',
    })
  const { tasks, files, skipped } = await adapters[format](importing)
  if (tasks.length === 0) {
    const why = skipped.slice(0, 10).map((each) => `\n${each.what}: ${each.why}`)
    throw new DrydockError('bad_suite', `${checkout} has no task of ${format} that can be used.${why.join('')}`, {
      todo: 'docs/evaluation.md says what a checkout of each benchmark holds.',
    })
  }
  for (const [path, content] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  await writeFile(join(folder, 'suite.json'), `${JSON.stringify({ name: format, tasks }, null, 2)}\n`)
  return { tasks: tasks.length, skipped }
}
