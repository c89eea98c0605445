const writableByAll = 0o002
/** In a sticky folder, such as /tmp, nobody renames or removes a file of somebody else. */
const sticky = 0o1000

/** Whether the mode of a file or folder lets everybody change it, or what is in it. */
export function isOpenToAll(mode: number): boolean {
  return (mode & writableByAll) !== 0 && !isSticky(mode)
}

export function isSticky(mode: number): boolean {
  return (mode & sticky) !== 0
}
