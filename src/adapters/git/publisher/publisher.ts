import type { Publisher } from '../../../ports/publisher.ts'
import type { GitParts } from '../git-parts.ts'
import { advance } from './advance.ts'
import { note } from './note.ts'
import { publish } from './publish.ts'

export function createPublisher({ layout, git, userGit, lock, repository }: Omit<GitParts, 'mirror'>): Publisher {
  const places = { git, userGit, lock, repository, mirror: layout.mirror }
  return {
    publish: (branch, sha, from) => publish(places, { branch, sha, from }),
    advance: (branch, sha, from) => advance(places, { branch, sha, from }),
    note: (input) => note(places, input),
  }
}
