import { mkdir } from 'node:fs/promises'
import { filledLines } from '../../../domain/text.ts'
import type { CommitRanges } from '../../../ports/commit-ranges.ts'
import type { GitParts } from '../git-parts.ts'
import { writeOwnConfig } from '../own-config.ts'
import { notesRef } from '../publisher/note.ts'
import { objectId } from '../revision.ts'

export function createCommitRanges({ userGit, repository, layout, mirror }: GitParts): CommitRanges {
  const run = (args: readonly string[], exits: readonly number[] = []) => userGit(args, { workTree: repository, exits })
  return {
    async isShallow() {
      return (await run(['rev-parse', '--is-shallow-repository'])).stdout.toString('utf8').trim() === 'true'
    },

    async parentsOf(sha) {
      const { code, stdout } = await run(['rev-list', '--parents', '--no-walk', '--end-of-options', sha], [128])
      return code === 0 ? stdout.toString('utf8').trim().split(' ').slice(1).map(objectId) : null
    },

    async roots(sha) {
      const { stdout } = await run(['rev-list', '--max-parents=0', '--end-of-options', sha])
      return filledLines(stdout.toString('utf8')).map(objectId)
    },

    async mergeBase(one, other) {
      const { code, stdout } = await run(['merge-base', '--end-of-options', one, other], [1])
      return code === 0 ? objectId(stdout) : null
    },

    async commitsBetween(base, head, max) {
      const range = ['--end-of-options', head, `^${base}`]
      const [counted, listed] = await Promise.all([
        run(['rev-list', '--count', ...range]),
        run(['rev-list', `--max-count=${max}`, ...range]),
      ])
      const commits = filledLines(listed.stdout.toString('utf8')).map(objectId)
      return { commits, count: Number(counted.stdout.toString('utf8')) }
    },

    async noted() {
      const lines = (await run(['notes', `--ref=${notesRef}`, 'list'], [1])).stdout.toString('utf8').split('\n')
      return new Set(lines.filter(Boolean).map((line) => line.split(' ')[1] ?? ''))
    },

    async remoteBranch(remote, branch) {
      const ref = `refs/remotes/${remote}/${branch}`
      const { code, stdout } = await run(['rev-parse', '--quiet', '--verify', `${ref}^{commit}`], [1, 128])
      return code === 0 ? objectId(stdout) : null
    },

    async takeIn(commits) {
      await mkdir(layout.scratch, { recursive: true })
      await writeOwnConfig(layout)
      await mirror.initialize()
      for (const sha of commits) await mirror.ensure(sha)
    },
  }
}
