const writableByAll = 0o002
/** In a sticky folder, such as /tmp, nobody can rename or remove other users' files. */
const sticky = 0o1000

/** True if the mode of a file or folder lets everybody change it, or its content. */
export function isOpenToAll(mode: number): boolean {
  return (mode & writableByAll) !== 0 && !isSticky(mode)
}

export function isSticky(mode: number): boolean {
  return (mode & sticky) !== 0
}
