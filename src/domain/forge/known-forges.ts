/** The software of a forge. Forgejo speaks the interface of Gitea. */
export const forgeKinds = ['github', 'gitlab', 'gitea', 'forgejo'] as const

export type ForgeKind = (typeof forgeKinds)[number]

export interface KnownForge {
  readonly kind: ForgeKind
  /** The forge's address for people. */
  readonly url: string
}

/** The public forges that need no entry in the configuration, by name. */
export const knownForges: Readonly<Record<string, KnownForge>> = {
  github: { kind: 'github', url: 'https://github.com' },
  gitlab: { kind: 'gitlab', url: 'https://gitlab.com' },
  codeberg: { kind: 'forgejo', url: 'https://codeberg.org' },
}

/** The variables that hold a token for a kind of forge, the first that is set. */
export const tokenVariables: Readonly<Record<ForgeKind, readonly string[]>> = {
  github: ['GITHUB_TOKEN', 'GH_TOKEN'],
  gitlab: ['GITLAB_TOKEN'],
  gitea: ['GITEA_TOKEN'],
  forgejo: ['FORGEJO_TOKEN'],
}
