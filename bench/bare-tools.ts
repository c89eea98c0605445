import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { rgPath } from '@vscode/ripgrep'
import type { Fixture } from '../test/scenarios/world/fixture.ts'
import type { GroupFigures } from './benchmarks.ts'
import { now } from './now.ts'
import { filesOfLargeRepository, moduleFile } from './repository.ts'
import { quantile } from './statistics.ts'

const rounds = 200
const run = promisify(execFile)

/**
 * Measures the programs behind the tools by themselves, in a clone of the large repository after
 * each edit. A list and a search run at the same time, as in one reply. There is no sandbox, no
 * check and no record.
 */
export async function measureBareTools(fixture: Fixture): Promise<GroupFigures> {
  const cwd = join(fixture.folder, 'bare-tools')
  await run('git', ['clone', '-q', fixture.repo, cwd])
  const lists: number[] = []
  const searches: number[] = []
  const diffs: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const number = (round * 23) % filesOfLargeRepository
    await writeFile(join(cwd, moduleFile(number)), `export const turn = ${round}\n`)
    const list = timed(() => run(rgPath, ['--threads=1', '--files'], { cwd }))
    const search = timed(() => run(rgPath, ['--line-number', `value \\* ${number + 2} \\+ 7$`, '.'], { cwd }))
    lists.push(await list)
    searches.push(await search)
    diffs.push(
      await timed(async () => {
        for (const args of [['add', '--all'], ['write-tree'], ['diff', '--cached', '--', moduleFile(number)]])
          await run('git', args, { cwd })
      }),
    )
  }
  return {
    'list_files by ripgrep alone, p99': quantile(lists, 0.99),
    'search_files by ripgrep alone, p99': quantile(searches, 0.99),
    'get_diff by git alone, p99': quantile(diffs, 0.99),
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = now()
  await work()
  return now() - start
}
