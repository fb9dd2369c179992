#include "vulkan/instance.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <string_view>
#include <type_traits>

#include "base/environment.h"
#include "base/shared_library.h"
#include "vulkan/check.h"
#include "vulkan/physical_device.h"

namespace hearth::vulkan {
namespace {

constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";

// Guards volk's function pointers, of which a process has one set.
std::mutex& volk_mutex() {
    static std::mutex mutex;
    return mutex;
}

std::mutex& log_mutex() {
    static std::mutex mutex;
    return mutex;
}

// The system's loader, else the one that the installer brings for a system without: it knows fewer
// drivers' places than a system's own, so it comes second. The token is the program's folder.
bool find_loader() {
    if (volkInitialize() == VK_SUCCESS) {
        return true;
    }
    static const SharedLibrary ours =
        SharedLibrary::open("$ORIGIN/../lib/hearth-fallback/libvulkan.so.1");
    const auto entry =
        ours
            ? ours.symbol<std::remove_pointer_t<PFN_vkGetInstanceProcAddr>>("vkGetInstanceProcAddr")
            : nullptr;
    if (entry == nullptr) {
        return false;
    }
    volkInitializeCustom(entry);
    return true;
}

// The drivers that the loader may open, while this lives. Precondition: volk_mutex() is held.
class OnlyDrivers {
public:
    explicit OnlyDrivers(const std::string& drivers) {
        for (std::size_t i = 0; i < kVariables.size() && !drivers.empty(); ++i) {
            before_[i] = environment_variable(kVariables[i], {});
            const bool adds = i == 2;
            set_environment_variable(kVariables[i], adds ? nullptr : drivers.c_str());
            set_ = true;
        }
    }
    ~OnlyDrivers() {
        for (std::size_t i = 0; i < kVariables.size() && set_; ++i) {
            set_environment_variable(kVariables[i],
                                     before_[i].empty() ? nullptr : before_[i].c_str());
        }
    }
    OnlyDrivers(const OnlyDrivers&) = delete;
    OnlyDrivers& operator=(const OnlyDrivers&) = delete;

private:
    // The second is what loaders before 1.3.207 know.
    static constexpr std::array<const char*, 3> kVariables{"VK_DRIVER_FILES", "VK_ICD_FILENAMES",
                                                           "VK_ADD_DRIVER_FILES"};
    std::array<std::string, 3> before_;
    bool set_ = false;
};

bool has_layer(const char* name) {
    std::uint32_t count = 0;
    if (vkEnumerateInstanceLayerProperties(&count, nullptr) != VK_SUCCESS) {
        return false;
    }
    std::vector<VkLayerProperties> layers(count);
    if (vkEnumerateInstanceLayerProperties(&count, layers.data()) < 0) {
        return false;
    }
    for (const VkLayerProperties& layer : layers) {
        if (std::strcmp(layer.layerName, name) == 0) {
            return true;
        }
    }
    return false;
}

bool has_extension(const char* layer, const char* name) {
    std::uint32_t count = 0;
    if (vkEnumerateInstanceExtensionProperties(layer, &count, nullptr) != VK_SUCCESS) {
        return false;
    }
    std::vector<VkExtensionProperties> extensions(count);
    if (vkEnumerateInstanceExtensionProperties(layer, &count, extensions.data()) < 0) {
        return false;
    }
    for (const VkExtensionProperties& extension : extensions) {
        if (std::strcmp(extension.extensionName, name) == 0) {
            return true;
        }
    }
    return false;
}

VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                          VkDebugUtilsMessageTypeFlagsEXT types,
                                          const VkDebugUtilsMessengerCallbackDataEXT* data,
                                          void* user) {
    constexpr VkDebugUtilsMessageSeverityFlagsEXT kCounted =
        VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
        VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    // Leave out the loader's own remarks (a driver it could not open), which our calls do not
    // cause.
    const bool ours = (types & (VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                                VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT)) != 0;
    if (ours && (severity & kCounted) != 0) {
        auto& log = *static_cast<Instance::ValidationLog*>(user);
        const std::scoped_lock lock(log_mutex());
        if (log.count++ == 0) {
            log.first = data->pMessage;
        }
    }
    return VK_FALSE;
}

}  // namespace

Validation validation_from(std::string_view name) {
    if (name == "sync") {
        return Validation::Synchronization;
    }
    return name == "on" ? Validation::On : Validation::Off;
}

Result<std::shared_ptr<Instance>> Instance::create(Validation validation,
                                                   const std::string& drivers) {
    const std::scoped_lock lock(volk_mutex());
    const OnlyDrivers only(drivers);
    if (!find_loader()) {
        return Error{ErrorCode::Unsupported, "this system has no Vulkan loader"};
    }
    if (volkGetInstanceVersion() < VK_API_VERSION_1_1) {
        return Error{ErrorCode::Unsupported, "this system's Vulkan loader is older than 1.1"};
    }
    std::vector<const char*> layers;
    std::vector<const char*> extensions;
    VkInstanceCreateFlags flags = 0;
    if (validation != Validation::Off) {
        if (!has_layer(kValidationLayer)) {
            return Error{ErrorCode::Unsupported,
                         std::string(kValidationLayer) + " was asked for and is not there"};
        }
        layers.push_back(kValidationLayer);
        extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    }
    if (has_extension(nullptr, VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME)) {
        extensions.push_back(VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME);  // MoltenVK's devices
        flags |= VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
    }
    VkValidationFeatureEnableEXT synchronization =
        VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
    VkValidationFeaturesEXT features{};
    features.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT;
    features.enabledValidationFeatureCount = 1;
    features.pEnabledValidationFeatures = &synchronization;

    VkApplicationInfo application{};
    application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    application.pApplicationName = "Hearth";
    application.pEngineName = "Hearth";
    application.apiVersion = VK_API_VERSION_1_3;
    VkInstanceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    info.pNext = validation == Validation::Synchronization ? &features : nullptr;
    info.flags = flags;
    info.pApplicationInfo = &application;
    info.enabledLayerCount = static_cast<std::uint32_t>(layers.size());
    info.ppEnabledLayerNames = layers.data();
    info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();

    std::shared_ptr<Instance> self(new Instance);
    const VkResult created = vkCreateInstance(&info, nullptr, &self->instance_);
    if (created == VK_ERROR_INCOMPATIBLE_DRIVER) {
        return Error{ErrorCode::Unsupported, "this system has no Vulkan driver"};
    }
    HEARTH_VK(created, "create an instance");
    volkLoadInstance(self->instance_);
    if (validation != Validation::Off) {
        VkDebugUtilsMessengerCreateInfoEXT messenger{};
        messenger.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
        messenger.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                                    VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
        messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                                VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
        messenger.pfnUserCallback = on_message;
        messenger.pUserData = &self->log_;
        HEARTH_VK(
            vkCreateDebugUtilsMessengerEXT(self->instance_, &messenger, nullptr, &self->messenger_),
            "listen to the validation layer");
    }
    return self;
}

Instance::~Instance() {
    if (messenger_ != VK_NULL_HANDLE) {
        vkDestroyDebugUtilsMessengerEXT(instance_, messenger_, nullptr);
    }
    if (instance_ != VK_NULL_HANDLE) {
        vkDestroyInstance(instance_, nullptr);
    }
}

std::string Instance::first_validation_message() const {
    const std::scoped_lock lock(log_mutex());
    return log_.first;
}

Result<std::vector<VkPhysicalDevice>> Instance::physical_devices() const {
    std::uint32_t count = 0;
    HEARTH_VK(vkEnumeratePhysicalDevices(instance_, &count, nullptr), "count the devices");
    std::vector<VkPhysicalDevice> devices(count);
    const VkResult listed = vkEnumeratePhysicalDevices(instance_, &count, devices.data());
    if (listed != VK_INCOMPLETE) {
        HEARTH_VK(listed, "list the devices");
    }
    devices.resize(count);
    return devices;
}

Result<std::vector<GpuInfo>> Instance::gpus() const {
    auto devices = physical_devices();
    if (!devices) {
        return std::move(devices).error();
    }
    std::vector<GpuInfo> gpus;
    for (std::size_t i = 0; i < devices->size(); ++i) {
        gpus.push_back(describe((*devices)[i], static_cast<int>(i)).info);
    }
    return gpus;
}

}  // namespace hearth::vulkan
