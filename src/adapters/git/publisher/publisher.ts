import type { Publisher } from '../../../ports/publisher.ts'
import type { GitParts } from '../git-parts.ts'
import { advance } from './advance.ts'
import { createHandOver } from './hand-over.ts'
import { note } from './note.ts'
import { checkPlace, publish } from './publish.ts'

export function createPublisher({
  layout,
  git,
  objects,
  userGit,
  lock,
  repository,
  notes,
  mirror,
}: Omit<GitParts, 'beside'>): Publisher {
  const handOver = createHandOver({ userGit, repository, mirror: layout.mirror })
  const places = { git, objects, userGit, handOver, lock, repository, mirror: layout.mirror, notes }
  return {
    check: (branch, sha, from) => checkPlace(places, { branch, sha, from }),
    async publish(branch, sha, from) {
      await publish(places, { branch, sha, from })
      await mirror.follow(branch, sha)
    },
    async advance(branch, sha, from) {
      await advance(places, { branch, sha, from })
      await mirror.follow(branch, sha)
    },
    note: (input) => note(places, input),
  }
}
