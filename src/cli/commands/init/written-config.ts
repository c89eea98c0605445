import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { Installation } from '../../../app/installation.ts'
import { shellWord } from '../../../app/text/shell-word.ts'
import { repositoryConfigPath } from '../../../config/load.ts'
import type { RepositoryConfigInput } from '../../../config/schema.ts'
import { replaceRepositoryConfig, writeRepositoryConfig, writeUserRepository } from '../../../config/write.ts'

/** A configuration that was written, and the next steps for people. */
export interface WrittenConfig {
  readonly files: readonly string[]
  /** The file for the gate to use until it is committed; null if it is outside the repository. */
  readonly configFile: string | null
  /** The command line that runs the gate again. */
  readonly again: string
  /** The next command line for the user. */
  readonly next: string
  /** The command line that runs the gate after the commit. */
  readonly check: string
  /** Replaces the written configuration. */
  readonly replace: (config: RepositoryConfigInput) => Promise<void>
}

export async function writeConfig(
  { repository, user }: Pick<Installation, 'repository' | 'user'>,
  config: RepositoryConfigInput,
  options: { readonly user?: boolean | undefined },
): Promise<WrittenConfig> {
  const isHere = (await realpath('.')) === repository
  const place = isHere ? '' : ` --repo ${shellWord(repository)}`
  if (options.user) {
    const entry = { userFile: user.file, repositoryPath: repository }
    await writeUserRepository({ ...entry, config })
    const again = `drydock verify${place}`
    const next = `Written to ${user.file}; the repository is untouched. To run only the gate: ${again}`
    const replace = (other: RepositoryConfigInput) => writeUserRepository({ ...entry, config: other, replaces: true })
    return { files: [user.file], configFile: null, again, next, check: again, replace }
  }
  await writeRepositoryConfig(repository, config)
  const file = repositoryConfigPath
  const configFile = join(repository, file)
  const git = isHere ? 'git' : `git -C ${shellWord(repository)}`
  return {
    files: [file],
    configFile,
    again: `drydock verify${place} --config ${isHere ? file : shellWord(configFile)}`,
    check: `drydock verify${place}`,
    next: `Commit it, because Drydock reads the configuration from commits. Then drydock doctor${place} shows what a first task still needs:\n  ${git} add ${file} && ${git} commit -m "Configure Drydock"`,
    replace: (other) => replaceRepositoryConfig(repository, other),
  }
}
