/** The own name of a test in its id. */
export const leafOf = (id: string): string => {
  const leaf = id.split(' > ').at(-1) ?? id
  return (leaf.split('::').at(-1) ?? leaf).replace(/ #\d+$|\[.*\]$| \([\w.]+\)$/g, '')
}
