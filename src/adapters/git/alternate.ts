/** Git also finds the objects of this folder, an absolute path. */
export function alternate(objects: string): { readonly GIT_ALTERNATE_OBJECT_DIRECTORIES: string } {
  // As git takes a path in a list of them.
  return { GIT_ALTERNATE_OBJECT_DIRECTORIES: `"${objects.replace(/["\\]/g, '\\$&')}"` }
}
