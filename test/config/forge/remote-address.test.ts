import { describe, expect, test } from 'vitest'
import { projectOn } from '../../../src/config/forge/find-project.ts'
import { remoteAddress } from '../../../src/config/forge/remote-address.ts'
import { knownForges } from '../../../src/domain/forge/known-forges.ts'

const forges = [
  ...Object.entries(knownForges).map(([name, forge]) => ({ name, ...forge })),
  { name: 'work', kind: 'gitlab', url: 'https://git.example.com:8443/gitlab/' },
] as const

/** The forge and the repository that a remote's URL names. */
function found(url: string): string | null {
  const address = remoteAddress(url)
  if (address === null) return null
  for (const forge of forges) {
    const project = projectOn(forge, address)
    if (project !== null) return `${forge.name}: ${project}`
  }
  return null
}

describe('the URL of a remote', () => {
  test.each([
    ['https://github.com/team/median.git', 'github: team/median'],
    ['https://user:secret@github.com/team/median', 'github: team/median'],
    ['git@github.com:team/median.git', 'github: team/median'],
    ['ssh://git@ssh.github.com:443/team/median.git', 'github: team/median'],
    ['GitHub.com:team/median', 'github: team/median'],
    ['git@gitlab.com:group/sub/group/median.git', 'gitlab: group/sub/group/median'],
    ['https://codeberg.org/team/median/', 'codeberg: team/median'],
    ['https://git.example.com:8443/gitlab/team/median.git', 'work: team/median'],
    ['ssh://git@git.example.com:2222/team/median.git', 'work: team/median'],
  ])('%s names a repository on a forge', (url, expected) => {
    expect(found(url)).toBe(expected)
  })

  test.each([
    'https://github.com.example.org/team/median',
    'https://example.org/github.com/team/median',
    'https://github.com:8443/team/median',
    'https://github.com/team',
    'https://github.com/team/median/../../user',
    'https://github.com/team/%2e%2e%2fadmin',
    'git@github.com:../median',
    'https://git.example.com/gitlab/team/median',
    'https://git.example.com:8443/other/median',
    '/srv/git/median.git',
    './github.com:team/median',
    'file:///srv/github.com/team/median',
    'ext::sh -c github.com/team/median',
    '',
  ])('%j names none', (url) => {
    expect(found(url)).toBeNull()
  })
})
