#pragma once

#include "file_set.h"
#include "ramet/proto/meta_graph.pb.h"
#include "random.h"

// Draws the files of each format: framing and checksums are mostly right, the content is hostile.
namespace ramet::fuzz {

FileSet DrawBundle(Random& random);       // a V2 checkpoint "m"
FileSet DrawV1(Random& random);           // a V1 checkpoint of one or several files
FileSet DrawStateFile(Random& random);    // a folder with a `checkpoint` file
FileSet DrawVersionFile(Random& random);  // a good V2 checkpoint with a .version file
FileSet DrawMetaGraph(Random& random);    // a .meta file, or a GraphDef; binary or text
FileSet DrawSavedModel(Random& random);   // a folder
FileSet DrawSafetensors(Random& random);
FileSet DrawNpz(Random& random);
FileSet DrawNpy(Random& random);
FileSet DrawIdx(Random& random);    // one file
FileSet DrawMnist(Random& random);  // a folder with the four files of MNIST

// Replaces a file by a link, a pipe or a folder. Only for formats of folders or of several files,
// because a reader would wait for the data of a pipe that the user names.
void ReplaceByOddFile(Random& random, FileSet* set);
// Draws the name of a tensor, usually that of a variable.
std::string DrawTensorName(Random& random);
// Adds a V2 checkpoint of the variables of BaseModel. `lies_percent` of its entries are wrong.
void AddModelBundle(Random& random, const std::string& prefix, int lies_percent, FileSet* set);
// Draws a MetaGraphDef with a Saver, variables, collections and signatures, changed in some places.
MetaGraphDef DrawMetaGraphDef(Random& random);

}  // namespace ramet::fuzz
