import { readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { detectConfig, detectedFiles } from '../config/detect.ts'
import { writeRepositoryConfig, writeUserRepository } from '../config/write.ts'
import { DrydockError } from '../domain/drydock-error.ts'
import type { CommonOptions, Context } from './context.ts'
import { open } from './open.ts'
import { shellWord } from './shell-word.ts'

/** Writes a configuration made from what the repository already uses. */
export async function init(
  context: Context,
  _args: readonly string[],
  options: CommonOptions & { user?: boolean },
): Promise<number> {
  const { output } = context
  const drydock = await open(context, options)
  const { repository } = drydock
  const found = detectConfig(await readRoot(repository))
  if (found.config === null) {
    throw new DrydockError('no_config', `No build system was recognised: ${found.reason}`, {
      todo: `Write .drydock/config.json yourself, for example: {"verification":{"steps":[{"name":"test","command":"make test"}]}}`,
    })
  }
  const steps = found.config.verification?.steps ?? []
  output.note(`Made from ${found.from.join(', ')}:`)
  for (const { name, command } of steps) output.note(`  ${name}: ${command}`)
  for (const note of found.notes) output.note(note)
  if (options.user) {
    const { file } = drydock.user
    await writeUserRepository({ userFile: file, repositoryPath: repository, config: found.config })
    output.emit({ type: 'init', files: [file], steps })
    output.say(`Written into ${file}; the repository is untouched. Check it with: drydock verify`)
    return 0
  }
  const files = await writeRepositoryConfig(repository, found.config)
  output.emit({ type: 'init', files, steps })
  const git = (await realpath('.')) === repository ? 'git' : `git -C ${shellWord(repository)}`
  output.say(
    `Commit it, since configuration is read from commits:\n  ${git} add ${files.join(' ')} && ${git} commit -m "Configure Drydock"`,
  )
  return 0
}

async function readRoot(repository: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  for (const name of detectedFiles) {
    const text = await readFile(join(repository, name), 'utf8').catch(() => null)
    if (text !== null) files[name] = text
  }
  return files
}
