/** A text of the repository for agents. */
export interface GuideText {
  /** Path from the root. */
  readonly file: string
  readonly text: string
  /** True if the text was shortened. */
  readonly cut: boolean
}

/** A rule file: a guide for the files that its globs name. */
export interface Rule extends GuideText {
  /** Null for all files. */
  readonly globs: readonly string[] | null
}

/** Instructions for one kind of work, which an agent reads when it does such work. */
export interface Skill {
  /** Name of the skill's folder. */
  readonly name: string
  readonly description: string
  /** Path of its `SKILL.md`. */
  readonly file: string
}

/**
 * A file of the repository that is written for agents, and its use. `listed`: an agent gets the
 * file when it touches a path below the file's folder or matching its globs, or asks for the skill.
 */
export interface ToldFile {
  readonly file: string
  readonly kind: 'guide' | 'import' | 'rule' | 'skill'
  readonly state: 'loaded' | 'cut' | 'listed' | 'shadowed' | 'refused'
  /** The reason why the file is not simply loaded; left out if it is. */
  readonly why?: string
}

/** A file of the repository for agents, and the lanes that were given it beside their prompts. */
export type ToldGuide = Pick<ToldFile, 'file'> & Partial<ToldFile> & { readonly lanes: readonly string[] }

/** Texts, and the use of each file that was found. */
export interface ReadGuides {
  readonly texts: readonly GuideText[]
  readonly told: readonly ToldFile[]
}

/** The instructions that a commit gives agents from the start. */
export interface Guide extends ReadGuides {
  readonly rules: readonly Rule[]
  readonly skills: readonly Skill[]
}

/** Names of guides; the first one present in a folder counts. */
export const guideNames = ['AGENTS.md', 'CLAUDE.md'] as const

/** A line for people: the file, and its use. */
export function toldLine({ file, kind, state, why }: ToldFile): string {
  const as = kind === 'guide' ? '' : `${kind}, `
  return `${file}: ${as}${state}${why === undefined ? '' : `, ${why}`}`
}
