import { insideRepositories } from '../tools/inside-repositories.ts'

/** What an agent is told of the other repositories of a Run; null where there are none. */
export function otherRepositories(names: readonly string[]): string | null {
  if (names.length === 0) return null
  const paths = names.map((name) => `- ${name}: \`${insideRepositories}/${name}\``)
  return [
    'This run has other repositories. `read_file`, `list_files` and `search_files` show what is merged there so far, under these paths (a glob starts with the path as well). Commands and verification steps do not see them:',
    ...paths,
  ].join('\n')
}

/** What the architect is told of all repositories, its own first; null for one alone. */
export function allRepositories([own, ...others]: readonly string[]): string | null {
  const told = otherRepositories(others)
  if (own === undefined || told === null) return null
  return `${told}\n\nThe repository that you read without such a path is ${own}. A story belongs to exactly one repository: set its \`repository\`, or leave it out for ${own}. \`depends_on\` may name stories of other repositories. All stories land together at the end, or none.`
}
