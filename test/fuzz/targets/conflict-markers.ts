import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import { createGit } from '../../../src/adapters/git/git.ts'
import { conflictMarkers } from '../../../src/adapters/git/history/conflict-markers.ts'
import { nasty } from '../nasty.ts'
import type { FuzzTarget } from '../target.ts'

const part = fc.oneof(
  fc.constantFrom('<<<<<<< ', '>>>>>>> ', '=======', '<<<<<<<', ' <<<<<<< a', '\n', '\n', 'HEAD', '\r\n'),
  nasty,
)
const content = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''))
const filesOfOne = 100

/** Compares with git's own search for conflict markers in the files of one commit. */
export const conflictMarkersTarget: FuzzTarget<readonly string[]> = {
  name: 'conflict-markers',
  casesPerInput: filesOfOne,
  async open() {
    const top = mkdtempSync(join(tmpdir(), 'drydock-fuzz-'))
    const environment = { PATH: process.env.PATH ?? '', HOME: top, LC_ALL: 'C.UTF-8' }
    execFileSync('git', ['init', '--quiet', '--bare', top], { env: environment })
    const git = createGit(environment)
    return {
      inputs: fc.array(content, { minLength: filesOfOne, maxLength: filesOfOne }),
      async check(contents) {
        const sha = commitOf(top, environment, contents)
        const paths = contents.map((_, i) => `f${i}`)
        const wanted = paths.filter((_, i) => hasMarkers(contents[i] ?? ''))
        expect(await conflictMarkers(git, top, { sha, paths })).toEqual(wanted)
      },
      async close() {
        rmSync(top, { recursive: true, force: true })
      },
    }
  },
}

const hasMarkers = (content: string): boolean => content.split('\n').some((line) => /^(?:<<<<<<<|>>>>>>>) /.test(line))

function commitOf(gitDir: string, env: NodeJS.ProcessEnv, contents: readonly string[]): string {
  const data = (bytes: Buffer) => Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n')])
  const files = contents.flatMap((text, i) => [Buffer.from(`M 100644 inline f${i}\n`), data(Buffer.from(text))])
  const head = 'commit refs/heads/fuzz\ncommitter a <a@example.com> 0 +0000\ndata 0\ndeleteall\n'
  const input = Buffer.concat([Buffer.from(head), ...files, Buffer.from('done\n')])
  execFileSync('git', ['--git-dir', gitDir, 'fast-import', '--quiet', '--force', '--done'], { env, input })
  return execFileSync('git', ['--git-dir', gitDir, 'rev-parse', 'refs/heads/fuzz'], { env }).toString().trim()
}
