import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { alwaysGreen, createCrewFixture, planned, type StoryInput } from './crew.ts'
import { type Script, writeScript } from './crew-script.ts'
import type { CommandResult, Fixture, FixtureOptions } from './fixture.ts'

export const branch = 'drydock/make-the-files'

/** Another repository next to the fixture's own. */
export interface Neighbour {
  readonly path: string
  git(...args: string[]): Promise<string>
}

/** Adds a repository. It has its own configuration unless `verification` is null. */
export async function addRepository(
  { folder, env }: Fixture,
  name: string,
  { verification = { steps: [alwaysGreen] } }: { readonly verification?: object | null } = {},
): Promise<Neighbour> {
  const path = join(folder, name)
  const git = async (...args: string[]) => {
    const given = { env: { ...env, GIT_CONFIG_NOSYSTEM: '1' } }
    return (await promisify(execFile)('git', ['-C', path, ...args], given)).stdout.trim()
  }
  await mkdir(path, { recursive: true })
  await git('init', '-q', '-b', 'trunk')
  await git('config', 'user.name', 'Tester')
  await git('config', 'user.email', 'tester@localhost')
  const files = {
    'value.txt': `of ${name}\n`,
    ...(verification && { '.drydock/config.json': JSON.stringify({ acceptance: 'off', verification }) }),
  }
  for (const [file, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, file)), { recursive: true })
    await writeFile(join(path, file), content)
  }
  await git('add', '-A')
  await git('commit', '-qm', 'start')
  return { path, git }
}

export interface Several {
  readonly fixture: Fixture
  readonly client: Neighbour
}

/** The fixture's own repository, and one next to it named `client`. */
export async function createSeveral(
  options: FixtureOptions & { readonly ofClient?: Parameters<typeof addRepository>[2] } = {},
): Promise<Several> {
  const fixture = await createCrewFixture(options)
  return { fixture, client: await addRepository(fixture, 'client', options.ofClient) }
}

/** Writes a spec with this front matter, and returns its file. */
export async function writeSpec(fixture: Fixture, front = 'repositories:\n  - ../client'): Promise<string> {
  const file = join(fixture.folder, 'spec.md')
  await writeFile(file, `---\n${front}\n---\n# Make the files\n\nOne in each.\n`)
  return file
}

export async function buildSeveral(
  fixture: Fixture,
  script: Script,
  ...flags: readonly string[]
): Promise<CommandResult> {
  const [spec, model] = await Promise.all([writeSpec(fixture), writeScript(fixture, script)])
  return fixture.drydock('run', spec, '--model', model, '--json', '--no-wait', ...flags)
}

/** The user's branches below `drydock/`, with their commits. */
export function ownBranches({ git }: Pick<Neighbour, 'git'>): Promise<string> {
  return git('for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads/drydock/')
}

/** A stored Run with its stories that has not started. */
export async function storedSeveral(fixture: Fixture, script: Script, stories: readonly StoryInput[]): Promise<string> {
  const [run, model, text] = ['make-the-files-000000', await writeScript(fixture, script), '# Make the files']
  const drydock = await fixture.open()
  const named = (path: string) => ({ name: basename(path), path })
  const request = {
    kind: 'spec',
    spec: { text, source: 'text' },
    planOnly: false,
    reviewStories: false,
    stories: stories.map((story) => planned({ depends_on: [], files_hint: [], ...story })) as never,
    repositories: [named(fixture.repo), named(join(fixture.folder, 'client'))],
  } as const
  const models = { architect: model, editor: model, scout: model }
  await drydock.submit('start', { kind: 'start', run, request, target: null, configFile: null, models })
  return run
}
