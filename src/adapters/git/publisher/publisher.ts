import type { Publisher } from '../../../ports/publisher.ts'
import type { GitParts } from '../git-parts.ts'
import { advance } from './advance.ts'
import { note } from './note.ts'
import { checkPlace, publish } from './publish.ts'

export function createPublisher({
  layout,
  git,
  userGit,
  lock,
  repository,
  notes,
}: Omit<GitParts, 'mirror' | 'beside'>): Publisher {
  const places = { git, userGit, lock, repository, mirror: layout.mirror, notes }
  return {
    check: (branch, sha, from) => checkPlace(places, { branch, sha, from }),
    publish: (branch, sha, from) => publish(places, { branch, sha, from }),
    advance: (branch, sha, from) => advance(places, { branch, sha, from }),
    note: (input) => note(places, input),
  }
}
