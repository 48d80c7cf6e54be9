#pragma once

// The one public header of Ramet: graphs, sessions, training, checkpoints.

#include "ramet/base/log.h"
#include "ramet/base/progress.h"
#include "ramet/base/status.h"
#include "ramet/builders/initializers.h"
#include "ramet/builders/layers.h"
#include "ramet/builders/losses.h"
#include "ramet/builders/math.h"
#include "ramet/builders/ops.gen.h"
#include "ramet/builders/train.h"
#include "ramet/checkpoint/checkpoint_management.h"
#include "ramet/checkpoint/saver.h"
#include "ramet/data/mnist.h"
#include "ramet/format/bundle_reader.h"
#include "ramet/format/bundle_writer.h"
#include "ramet/gradients/gradients.h"
#include "ramet/graph/graph.h"
#include "ramet/graph/import.h"
#include "ramet/graph/meta_graph.h"
#include "ramet/graph/scope.h"
#include "ramet/runtime/session.h"
