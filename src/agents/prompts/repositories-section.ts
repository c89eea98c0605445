import { insideRepositories } from '../tools/inside-repositories.ts'

/** The text about the other repositories of a Run; null without any. */
export function otherRepositories(names: readonly string[]): string | null {
  if (names.length === 0) return null
  const paths = names.map((name) => `- ${name}: \`${insideRepositories}/${name}\``)
  return [
    'This run has other repositories. `read_file`, `list_files` and `search_files` show what is merged there so far, under these paths (a glob starts with the path as well). Commands and verification steps do not see them:',
    ...paths,
  ].join('\n')
}

/** The architect's text about all repositories, its own first; null for a single one. */
export function allRepositories([own, ...others]: readonly string[]): string | null {
  const told = otherRepositories(others)
  if (own === undefined || told === null) return null
  return `${told}\n\nThe repository that you read without such a path is ${own}. A story belongs to exactly one repository: set its \`repository\`, or leave it out for ${own}. \`depends_on\` may name stories of other repositories. All stories land together at the end, or none.`
}
